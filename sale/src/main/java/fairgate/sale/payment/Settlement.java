package fairgate.sale.payment;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ends an unpaid order in the only safe sequence: the provider closes it, then its units are
/// released. An order paid meanwhile stays paid; without a reply nothing changes. Blocks: for
/// virtual threads.
///
/// @param products the products on sale, called each time
/// @param owners assigns the payment to the order unless another order has it, and returns its
///   order; blocks
/// @param refunds records money that belongs to no order
record Settlement(
    OrderBook book,
    PaymentProvider provider,
    PaymentMetrics metrics,
    Supplier<? extends Collection<ProductId>> products,
    BiFunction<OrderId, Payment, OrderId> owners,
    RefundStore refunds) {
  private static final Logger LOG = LoggerFactory.getLogger(Settlement.class);

  private static final Duration RETRY_AFTER = Duration.ofSeconds(2);
  private static final int LONGEST_NAME = 128;

  enum Result {
    /// The order is released, now or before.
    RELEASED,
    PAID,
    /// The order is unchanged: the provider does not know, or the window is still open.
    OPEN,
    UNKNOWN
  }

  /// Books a payment on its order. A payment of another or an unknown order is kept for a person to
  /// decide. Throws ServiceUnavailable while the result cannot be determined.
  ConfirmOutcome book(OrderId order, Payment payment) {
    ConfirmOutcome outcome = outcome(order, payment);
    metrics.booked(outcome);
    return outcome;
  }

  private ConfirmOutcome outcome(OrderId order, Payment payment) {
    if (book.find(order).await().isPresent()) {
      OrderId owner = owners.apply(order, payment);
      if (!owner.equals(order)) {
        LOG.error(
            "Payment pays another order; a person has to decide. payment={} order={} paidOrder={}",
            payment.id(),
            order,
            owner);
        refunds.unplaced(order.value(), payment, "other_order");
        return new ConfirmOutcome.OtherOrder();
      }
      ConfirmOutcome booked = book.confirm(order, payment).await();
      if (!(booked instanceof ConfirmOutcome.UnknownOrder)) {
        return booked;
      }
    }
    absent(order);
    LOG.error(
        "Payment names an unknown order; a person has to decide. payment={} order={}",
        payment.id(),
        order);
    refunds.unplaced(order.value(), payment, "unknown_order");
    return new ConfirmOutcome.UnknownOrder();
  }

  /// Handles a missing order. Throws ServiceUnavailable when Redis may have lost it and it will be
  /// restored from the ledger: the caller has to repeat.
  void absent(OrderId order) {
    var _ = unknown(order).await();
  }

  /// Handles a missing order. Fails with ServiceUnavailable where `absent` throws it.
  Future<Optional<Order>> unknown(OrderId order) {
    return book.absent(order)
        .compose(
            word -> {
              boolean lost =
                  switch (word) {
                    case UNKNOWN -> false;
                    case NO_SALE -> products.get().contains(order.product());
                    case RETRY -> true;
                  };
              return lost
                  ? Future.failedFuture(
                      new ServiceUnavailable("the sale of " + order + " is not whole", RETRY_AFTER))
                  : Future.succeededFuture(Optional.empty());
            });
  }

  boolean sells(ProductId product) {
    return products.get().contains(product);
  }

  /// Whether an order is none of this installation: it has no order id of ours, or is unknown and
  /// of a product that is not here.
  ///
  /// @param named the order as the provider wrote it
  boolean isForeign(String named) {
    if (!OrderId.isValid(named)) {
      return true;
    }
    OrderId order = new OrderId(named);
    return !sells(order.product()) && book.find(order).await().isEmpty();
  }

  /// Ignores a payment of another shop on the same account at the provider. It is not listed as a
  /// refund, because this installation has no claim to it.
  ///
  /// @param named the order as the provider wrote it
  void foreign(String named, Payment payment) {
    String start = named.substring(0, Math.min(named.length(), LONGEST_NAME));
    LOG.info(
        "Ignored a payment of no order of this server; payment={} order={}",
        payment.id(),
        start.replaceAll("[^ -~]", "?"));
    metrics.foreign();
  }

  /// As [PaymentProvider#probe].
  boolean probe() {
    return provider.probe();
  }

  /// Closes the order at the provider and acts on its reply.
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

  /// Ends an order whose payment the provider never takes.
  Result notPayable(OrderId order, ReleaseOutcome.Reason reason) {
    metrics.notPayable();
    return end(order, reason);
  }

  private Result paid(OrderId order, Payment payment, ReleaseOutcome.Reason reason) {
    return switch (book(order, payment)) {
      case ConfirmOutcome.Confirmed _, ConfirmOutcome.AlreadyPaid _ -> Result.PAID;
      // The provider took a wrong amount, or names a payment of another order. No other payment
      // will come.
      case ConfirmOutcome.RefundDue _, ConfirmOutcome.OtherOrder _ -> release(order, reason);
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
