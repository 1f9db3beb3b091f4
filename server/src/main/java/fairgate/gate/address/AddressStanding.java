package fairgate.gate.address;

/// How limits count one caller.
///
/// @param key what it is counted by: its IPv4 address, its /56, or the whole /48 where one owner
///   hops between many /56
/// @param network the wider network, for limits of its own: /24 or /48
/// @param budget how many times the usual budget of one address it has; 1 and more
public record AddressStanding(String key, String network, int budget) {}
