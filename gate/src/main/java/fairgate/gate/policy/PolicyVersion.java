package fairgate.gate.policy;

import java.time.Instant;

/// A published version of the risk policy. It never changes.
///
/// @param bundle JSON, exactly as published
/// @param sha256 of the bundle's UTF-8, hexadecimal
/// @param salt decides which people a canary of this version gets
/// @param parent the version it was made from; 0 for none
public record PolicyVersion(
    long version,
    String bundle,
    String sha256,
    String salt,
    String author,
    long parent,
    String note,
    Guardrails guardrails,
    Instant createdAt) {

  /// A step in the history of the risk policy.
  ///
  /// @param step such as `published`, `canary` or `activated`
  /// @param sha256 of the version's bundle, 64 hexadecimal digits
  /// @param at seconds since 1970
  public record Step(long id, long version, String step, String sha256, long at) {}
}
