package fairgate.sale.payment;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.SessionId;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.OrderScripts.DeadlineScript;
import org.jspecify.annotations.Nullable;

/// An order as it was when it was read.
///
/// @param user whose limit it counts on
/// @param device the keyed hash of the browser whose limit it counts on
/// @param amount the price of all units together, less the deposit
/// @param createdAt milliseconds since the epoch, by the clock of Redis
/// @param payBy end of the payment window in the same unit; 0 when there is none
/// @param isStopped whether deadlines stand still, so that `payBy` moves on
/// @param remaining units left right after this purchase
/// @param version 1 at birth, one more with every edge
/// @param payment the provider's id of the payment it stands on; null until paid
/// @param declinedAt when a payment was last refused, milliseconds since the epoch; 0 for never
/// @param deposit what was taken off the price; null for nothing
public record Order(
    OrderId id,
    SessionId session,
    String user,
    String device,
    int quantity,
    Money amount,
    OrderStatus status,
    long createdAt,
    long payBy,
    boolean isStopped,
    long remaining,
    long version,
    @Nullable String payment,
    long declinedAt,
    @Nullable DepositPart deposit) {
  /// The deposit that an order has used.
  ///
  /// @param amount in minor units of the order's currency
  public record DepositPart(OrderId id, long amount) {
    /// Parses `id amount`; null for an empty text.
    static @Nullable DepositPart of(String text) {
      int space = text.indexOf(' ');
      return space < 0
          ? null
          : new DepositPart(
              new OrderId(text.substring(0, space)), Long.parseLong(text.substring(space + 1)));
    }
  }

  Order due(DeadlineScript.Deadline deadline) {
    return new Order(
        id,
        session,
        user,
        device,
        quantity,
        amount,
        status,
        createdAt,
        deadline.payBy(),
        deadline.stands(),
        remaining,
        version,
        payment,
        declinedAt,
        deposit);
  }
}
