package fairgate.redeem;

import fairgate.redeem.orders.KnownOrder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What the database knows of an order number on one platform: the order, if it was imported or
/// redeemed before, and its redemption, if there is one.
record Standing(String platform, @Nullable KnownOrder order, @Nullable Redeemed redeemed) {
  /// A redemption, and the code now in force.
  ///
  /// @param device keyed hash of the browser that claimed
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Redeemed(
      String deviceId,
      String device,
      String codeState,
      String keyId,
      byte[] hash,
      byte[] box,
      @Nullable Instant expiresAt,
      @Nullable Integer durationDays) {}
}
