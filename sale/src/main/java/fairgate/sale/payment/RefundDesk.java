package fairgate.sale.payment;

import fairgate.kernel.OrderId;
import fairgate.sale.payment.OrderScripts.RefundedScript;
import fairgate.sale.payment.PaymentNotice.Dispute;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The operators' actions on refunds that a person has to decide. Blocks: for virtual threads. A
/// repeat changes nothing.
public final class RefundDesk {
  private final PostgresRefunds refunds;
  private final OrderBook book;
  private final PostgresDisputes disputes;

  RefundDesk(PostgresRefunds refunds, OrderBook book, PostgresDisputes disputes) {
    this.disputes = disputes;
    this.refunds = refunds;
    this.book = book;
  }

  public sealed interface Outcome {
    /// The refund is as decided, now or before.
    record Done(Refund refund) implements Outcome {}

    /// The refund is in a state that does not allow the decision; nothing changed.
    record Conflict(Refund refund) implements Outcome {}

    record NotFound() implements Outcome {}
  }

  /// Lists refunds, newest first.
  ///
  /// @param state null = all that are open
  /// @param before the number of the last one of the page before; Long.MAX_VALUE = the first page
  public List<Refund> list(Refund.@Nullable State state, long before, int max) {
    Set<Refund.State> states = EnumSet.noneOf(Refund.State.class);
    for (Refund.State each : Refund.State.values()) {
      if (state == null ? each.open() : each == state) {
        states.add(each);
      }
    }
    return refunds.list(states, before, max);
  }

  /// Lists disputes, newest first.
  ///
  /// @param state null = all
  /// @param before the number of the last one of the page before; Long.MAX_VALUE = the first page
  public List<Dispute> disputes(Dispute.@Nullable State state, long before, int max) {
    return disputes.list(state, before, max);
  }

  /// Lists the disputes of an order, oldest first.
  public List<Dispute> disputesOf(OrderId order) {
    return disputes.of(order);
  }

  /// Those of the orders that have a dispute which is not decided.
  public Set<OrderId> disputed(Collection<OrderId> orders) {
    return disputes.openOf(orders);
  }

  /// Lists the refunds of an order, oldest first.
  public List<Refund> of(OrderId order) {
    return refunds.of(order.value());
  }

  /// Makes the worker call the provider again, at once and with the same key as before.
  public Outcome retry(long id, Refund.Decision decision) {
    return refunds.decide(
        id,
        Refund.State.DUE,
        Set.of(
            Refund.State.WAITING,
            Refund.State.FAILED,
            Refund.State.UNPLACED,
            Refund.State.GIVEN_UP),
        decision,
        _ -> {});
  }

  /// Records that a person has paid the money back. An order that was paid with it becomes refunded
  /// and its units become free.
  public Outcome doneByHand(long id, Refund.Decision decision) {
    return refunds.decide(
        id,
        Refund.State.DONE,
        Set.of(
            Refund.State.WAITING,
            Refund.State.FAILED,
            Refund.State.UNPLACED,
            Refund.State.GIVEN_UP),
        decision,
        refund -> {
          // If the transaction fails after this, the ledger gets the refund from the outbox.
          RefundedScript.Outcome _ =
              book.refunded(refund.order(), refund.payment(), refund.part()).await();
        });
  }

  /// Records that the payment is not refunded. The order stays as it is.
  public Outcome giveUp(long id, Refund.Decision decision) {
    return refunds.decide(
        id,
        Refund.State.GIVEN_UP,
        Set.of(Refund.State.WAITING, Refund.State.FAILED, Refund.State.UNPLACED),
        decision,
        _ -> {});
  }
}
