package fairgate.sale.ledger;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;

/// Counts what became of orders, as this node writes it to the ledger: each event once, on one
/// node.
final class OrderMeters {
  private final Counter reserved;
  private final Counter paid;
  private final Counter cancelled;
  private final Counter expired;
  private final Counter refunded;

  OrderMeters(Metrics metrics) {
    this.reserved = counter(metrics, "reserved");
    this.paid = counter(metrics, "paid");
    this.cancelled = counter(metrics, "cancelled");
    this.expired = counter(metrics, "expired");
    this.refunded = counter(metrics, "refunded");
  }

  private static Counter counter(Metrics metrics, String outcome) {
    return metrics.counter(
        "fairgate_orders_total",
        "Orders by what became of them, as this node wrote it to the ledger",
        "outcome",
        outcome);
  }

  void written(LedgerEvent event) {
    LedgerEvent.Edge order = event.order();
    if (order == null) {
      return;
    }
    switch (event.kind()) {
      case RESERVED -> {
        reserved.increment();
        // Where nothing has to be paid, an order is paid from the start.
        paid.increment(order.status() == OrderStatus.PAID ? 1 : 0);
      }
      case CONFIRMED -> paid.increment();
      case RELEASED -> (order.status() == OrderStatus.EXPIRED ? expired : cancelled).increment();
      case REFUNDED -> refunded.increment();
      case EXTENDED, REFUND_DUE, STOCK -> {}
    }
  }
}
