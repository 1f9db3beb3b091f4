package fairgate.gate.signature;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What operators see of a key: everything but its secret.
///
/// @param id public; what a signature names as its `keyid`
/// @param name whose it is, in the operator's words
/// @param expiresAt null = never
/// @param revokedAt null = not
public record ApiKey(
    String id,
    String name,
    Instant createdAt,
    String createdBy,
    @Nullable Instant expiresAt,
    @Nullable Instant revokedAt) {
  /// Whether it can sign at this time.
  public boolean isLive(Instant now) {
    return revokedAt == null && (expiresAt == null || now.isBefore(expiresAt));
  }
}
