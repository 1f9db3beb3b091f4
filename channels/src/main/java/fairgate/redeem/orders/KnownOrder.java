package fairgate.redeem.orders;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// An order as its source has it.
///
/// @param expiresAt until when it can be redeemed; null = for ever
public record KnownOrder(
    String platform, String orderId, String productId, State state, @Nullable Instant expiresAt) {

  /// How far an order is from being redeemable.
  public enum State {
    PAID,
    /// Not paid, or not yet.
    UNPAID,
    /// It was paid, and the money went back.
    REVOKED;

    /// The state for a status of the table `orders` or of an order system. An unknown status counts
    /// as unpaid: the order gets no code.
    public static State of(String word) {
      return switch (word) {
        case "paid" -> PAID;
        case "refunded", "revoked" -> REVOKED;
        default -> UNPAID;
      };
    }
  }
}
