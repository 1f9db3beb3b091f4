package fairgate.redeem.guard;

import java.time.Instant;

/// A refused attempt, for the record.
///
/// @param orderHash a keyed hash of the number
/// @param reason the true one, whatever the caller was told
public record Failure(
    String orderHash,
    String productId,
    String deviceId,
    String address,
    String reason,
    Instant at) {}
