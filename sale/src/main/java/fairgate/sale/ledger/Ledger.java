package fairgate.sale.ledger;

import fairgate.kernel.OrderId;
import fairgate.platform.events.InTransit;
import fairgate.platform.events.OutboxSink;
import fairgate.platform.events.OutboxSink.DeadLetters;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.LedgerView;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Entry point of the ledger.
public final class Ledger {
  private final PostgresLedger sink;
  private final PostgresDeadLetters letters;
  private final PostgresOrders orders;
  private final PostgresLedgerView view;
  private final OrderSearch search;
  private final OrderFile file;
  private @Nullable OrderNumbers numbers;

  private Ledger(PostgresDatabase database, InTransit inTransit) {
    this.sink = new PostgresLedger(database);
    this.letters = new PostgresDeadLetters(database);
    this.orders = new PostgresOrders(database);
    this.search = new OrderSearch(database);
    this.file = new PostgresOrderFile(database);
    this.view = new PostgresLedgerView(database, inTransit, sink);
  }

  /// A ledger in a database that the relay writes directly.
  public static Ledger of(PostgresDatabase database) {
    return new Ledger(database, InTransit.NOTHING);
  }

  /// A ledger in a database.
  ///
  /// @param inTransit the entries between the relay and the ledger
  public static Ledger of(PostgresDatabase database, InTransit inTransit) {
    return new Ledger(database, inTransit);
  }

  public void meter(Metrics metrics) {
    sink.onWritten(new OrderMeters(metrics)::written);
  }

  public OutboxSink sink() {
    return sink;
  }

  /// The store of entries that cannot be written.
  public DeadLetters deadLetters() {
    return letters;
  }

  /// Finds an order. It may be in Redis some milliseconds before it is here.
  public Future<Optional<LedgerOrder>> find(OrderId id) {
    return orders.find(id);
  }

  public OrderSearch search() {
    return search;
  }

  public OrderFile file() {
    return file;
  }

  /// The numbers of new orders. The first call draws numbers from PostgreSQL.
  public synchronized OrderNumbers numbers() {
    if (numbers == null) {
      numbers = new OrderNumbers(orders::drawNumbers);
    }
    return numbers;
  }

  /// The data for rebuilding a sale in Redis.
  public LedgerView view() {
    return view;
  }

  /// Counts what became of orders, as this node writes it to the ledger: each event once, on one
  /// node.
  static final class OrderMeters {
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
}
