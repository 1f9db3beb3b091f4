package fairgate.sale.ledger;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.events.DeadLetters;
import fairgate.platform.events.InTransit;
import fairgate.platform.events.OutboxSink;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.LedgerView;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Entry point of the ledger.
public final class Ledger {
  private final PostgresLedger sink;
  private final PostgresDeadLetters letters;
  private final PostgresOrders orders;
  private final PostgresLedgerView view;

  private Ledger(PostgresDatabase database, InTransit inTransit) {
    this.sink = new PostgresLedger(database);
    this.letters = new PostgresDeadLetters(database);
    this.orders = new PostgresOrders(database);
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

  /// The sink of outbox entries.
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

  /// Lists orders, newest first.
  ///
  /// @param product null = of all products
  /// @param status null = any
  /// @param after the last order of the page before; null = the first page
  /// @param max orders per page
  public Future<List<LedgerOrder>> orders(
      @Nullable ProductId product, @Nullable OrderStatus status, @Nullable OrderId after, int max) {
    return orders.page(product, status, after, max);
  }

  /// The data for rebuilding a sale in Redis.
  public LedgerView view() {
    return view;
  }
}
