package fairgate.gate.address;

/// The limit key and budget of one address.
///
/// @param key the limit key: the IPv4 address, the /56, or the whole /48 when its owner changes
///   between many /56
/// @param network the surrounding network with limits of its own: /24 or /48
/// @param budget factor on the normal budget of one address, at least 1
public record AddressBudget(String key, String network, int budget) {}
