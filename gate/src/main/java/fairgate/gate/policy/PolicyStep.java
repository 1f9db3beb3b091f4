package fairgate.gate.policy;

/// A step in the history of the risk policy.
///
/// @param step such as `published`, `canary` or `activated`
/// @param sha256 of the version's bundle, 64 hexadecimal digits
/// @param at seconds since 1970
public record PolicyStep(long id, long version, String step, String sha256, long at) {}
