package fairgate.sale.payment;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ends an unpaid order in the one safe sequence: the provider closes, then the units are free.
/// Paid meanwhile means paid; no answer means that nothing changes. Blocks: for virtual threads.
final class Settlement {
  private static final Logger LOG = LoggerFactory.getLogger(Settlement.class);

  private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

  private final OrderBook book;
  private final PaymentProvider provider;
  private final PaymentMetrics metrics;
  private final Supplier<? extends Collection<ProductId>> products;

  /// @param products those that are on sale, asked anew every time
  Settlement(
      OrderBook book,
      PaymentProvider provider,
      PaymentMetrics metrics,
      Supplier<? extends Collection<ProductId>> products) {
    this.book = book;
    this.provider = provider;
    this.metrics = metrics;
    this.products = products;
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

  /// Books a payment; money for an order nobody knows is logged and counted. Throws
  /// ServiceUnavailable while nobody can tell.
  ConfirmOutcome book(OrderId order, Payment payment) {
    ConfirmOutcome outcome = book.confirm(order, payment).await();
    if (outcome instanceof ConfirmOutcome.UnknownOrder) {
      absent(order);
      unplaced(payment, "the unknown order " + order);
    } else {
      metrics.booked(outcome);
    }
    return outcome;
  }

  /// The order was not found. Throws ServiceUnavailable where it may be one that Redis has lost and
  /// that comes back from the ledger: whoever asks has to ask again.
  void absent(OrderId order) {
    boolean lost =
        switch (book.absent(order).await()) {
          case UNKNOWN -> false;
          case NO_SALE -> products.get().contains(order.product());
          case RETRY -> true;
        };
    if (lost) {
      throw new ServiceUnavailable("the sale of " + order + " is not whole", RETRY_AFTER);
    }
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
