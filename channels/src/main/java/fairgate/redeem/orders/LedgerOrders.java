package fairgate.redeem.orders;

import fairgate.kernel.OrderId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.sale.ledger.Ledger;
import fairgate.sale.ledger.LedgerOrder;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.Order;
import fairgate.sale.payment.OrderBook;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The orders of this server: what is paid here can be redeemed here.
///
/// @param book orders as Redis has them
public record LedgerOrders(Ledger ledger, OrderBook book) {
  private static final int ENGINE_SECONDS = 5;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  /// The order, once the ledger has it: milliseconds after it was placed. Blocks; throws
  /// ServiceUnavailable while the ledger cannot answer, or does not have a payment yet that was
  /// made, so that the buyer retries.
  Optional<KnownOrder> find(String id) {
    if (!OrderId.isValid(id)) {
      return Optional.empty();
    }
    OrderId order = new OrderId(id);
    try {
      Optional<KnownOrder> known =
          ledger
              .find(order)
              .await(ENGINE_SECONDS, TimeUnit.SECONDS)
              .map(LedgerOrders::known)
              .filter(found -> found.state() != KnownOrder.State.UNPAID);
      if (known.isPresent()) {
        return known;
      }
      Optional<Order> live = book.find(order).await(ENGINE_SECONDS, TimeUnit.SECONDS);
      if (live.isPresent() && live.get().status() == OrderStatus.PAID) {
        throw new ServiceUnavailable("the ledger does not have the payment yet", RETRY_AFTER);
      }
      return ledger.find(order).await(ENGINE_SECONDS, TimeUnit.SECONDS).map(LedgerOrders::known);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("a store did not answer in time", RETRY_AFTER);
    }
  }

  private static KnownOrder known(LedgerOrder order) {
    return new KnownOrder(
        OrderNumberFormats.OWN,
        order.id().value(),
        order.id().product().value(),
        KnownOrder.State.of(order.standing().status().wire()),
        null);
  }
}
