package fairgate.gate.signature;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// An API key without its secret, as operators see it.
///
/// @param id public; the `keyid` of a signature
/// @param name owner, in the operator's words
/// @param expiresAt null for no expiry
/// @param revokedAt null when not revoked
public record ApiKey(
    String id,
    String name,
    Instant createdAt,
    String createdBy,
    @Nullable Instant expiresAt,
    @Nullable Instant revokedAt) {
  /// Whether it can sign at a time.
  public boolean isLive(Instant now) {
    return revokedAt == null && (expiresAt == null || now.isBefore(expiresAt));
  }
}
