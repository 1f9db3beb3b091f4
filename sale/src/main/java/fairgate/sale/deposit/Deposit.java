package fairgate.sale.deposit;

import fairgate.catalog.SalePolicy.DepositEnd;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.SessionId;
import fairgate.kernel.Word;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.Order;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A deposit that a buyer pays before the join.
///
/// @param owner the user as whom the sale counts the buyer, or the hash of the browser
/// @param passed its end if the buyer lets the turn pass
/// @param order the order that used it, once the ledger has that
/// @param entry the session of the draw's entry that has it
public record Deposit(
    OrderId id,
    String owner,
    Money amount,
    State state,
    DepositEnd passed,
    Instant createdAt,
    Instant payBy,
    @Nullable String payment,
    @Nullable String order,
    @Nullable SessionId entry,
    @Nullable Instant paidAt) {
  private static final SessionId NOBODY = new SessionId("00000000-0000-0000-0000-000000000000");

  public enum State implements Word {
    /// Not paid yet.
    PENDING,
    /// Not paid in time, or cancelled by its buyer.
    LAPSED,
    /// Paid. It stands for a place, or gives one at the next join.
    PAID,
    /// Part of the payment of an order.
    COUNTED,
    /// On its way back, or back.
    RETURNED,
    /// The buyer let the turn pass, and the sale keeps it.
    KEPT;

    static State of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT));
    }

    private OrderStatus asOrder() {
      return switch (this) {
        case PENDING -> OrderStatus.PENDING;
        case LAPSED -> OrderStatus.CANCELLED;
        case PAID, COUNTED, KEPT -> OrderStatus.PAID;
        case RETURNED -> OrderStatus.REFUNDED;
      };
    }
  }

  boolean isEntered() {
    return entry != null;
  }

  /// Whether its money is at the buyer, or on its way there.
  boolean isBack() {
    return state == State.LAPSED || state == State.RETURNED;
  }

  /// The deposit as payment providers and their pages know it.
  Order asOrder() {
    return new Order(
        id,
        NOBODY,
        owner,
        "",
        1,
        amount,
        state.asOrder(),
        createdAt.toEpochMilli(),
        payBy.toEpochMilli(),
        false,
        0,
        1,
        payment,
        0,
        null);
  }
}
