package fairgate.redeem;

import fairgate.redeem.orders.KnownOrder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The stored data of one product of an order: the order, unless it is one of this server's own,
/// and its redemption, if there is one.
///
/// @param waiting whether a seller's code is reserved for it
record StoredOrder(
    String platform,
    String productId,
    @Nullable KnownOrder order,
    boolean waiting,
    @Nullable Redeemed redeemed) {
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
