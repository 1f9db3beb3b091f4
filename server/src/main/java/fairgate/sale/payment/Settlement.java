package fairgate.sale.payment;

import fairgate.kernel.OrderId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ends an unpaid order in the one safe sequence: the provider closes, then the units are free.
/// Paid meanwhile means paid; no answer means that nothing changes. Blocks: for virtual threads.
final class Settlement {
  private static final Logger LOG = LoggerFactory.getLogger(Settlement.class);

  private final OrderBook book;
  private final PaymentProvider provider;
  private final PaymentMetrics metrics;

  Settlement(OrderBook book, PaymentProvider provider, PaymentMetrics metrics) {
    this.book = book;
    this.provider = provider;
    this.metrics = metrics;
  }

  /// What became of the order.
  enum Result {
    /// It is released, now or before.
    RELEASED,
    /// It is paid.
    PAID,
    /// It is as it was: the provider does not know, or the window is still open.
    OPEN,
    /// There is no such order.
    UNKNOWN
  }

  /// Books a payment; money for an order nobody knows is logged and counted.
  ConfirmOutcome book(OrderId order, Payment payment) {
    ConfirmOutcome outcome = book.confirm(order, payment).await();
    if (outcome instanceof ConfirmOutcome.UnknownOrder) {
      unplaced(payment, "the unknown order " + order);
    } else {
      metrics.booked(outcome);
    }
    return outcome;
  }

  /// Money nobody can place: a person has to look.
  void unplaced(Payment payment, String names) {
    metrics.booked(new ConfirmOutcome.UnknownOrder());
    LOG.error("payment {} names {}", payment.id(), names);
  }

  /// Closes the order at the provider and acts on its answer.
  Result end(OrderId order, ReleaseOutcome.Reason reason) {
    PaymentProvider.CloseOutcome answer = provider.close(order);
    metrics.closed(answer);
    return switch (answer) {
      case PaymentProvider.CloseOutcome.Closed() -> release(order, reason);
      case PaymentProvider.CloseOutcome.Paid(Payment payment) -> paid(order, payment, reason);
      case PaymentProvider.CloseOutcome.Unknown(String why) -> {
        LOG.warn("{} cannot say whether {} is paid: {}", provider.name(), order, why);
        yield Result.OPEN;
      }
    };
  }

  private Result paid(OrderId order, Payment payment, ReleaseOutcome.Reason reason) {
    return switch (book(order, payment)) {
      case ConfirmOutcome.Confirmed _, ConfirmOutcome.AlreadyPaid _ -> Result.PAID;
      // The provider took the wrong sum. It goes back, and no other payment is to come.
      case ConfirmOutcome.RefundDue _ -> release(order, reason);
      case ConfirmOutcome.UnknownOrder _ -> Result.UNKNOWN;
    };
  }

  private Result release(OrderId order, ReleaseOutcome.Reason reason) {
    return switch (book.release(order, reason).await()) {
      case ReleaseOutcome.Released _, ReleaseOutcome.AlreadyOver _ -> Result.RELEASED;
      case ReleaseOutcome.Paid _ -> Result.PAID;
      case ReleaseOutcome.NotDue _ -> Result.OPEN;
      case ReleaseOutcome.UnknownOrder _ -> Result.UNKNOWN;
    };
  }
}
