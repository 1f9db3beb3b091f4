package fairgate.sale.ledger;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.events.DeadLetters;
import fairgate.platform.events.OutboxSink;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The door to the books.
public final class Ledger {
  private final PostgresLedger sink;
  private final PostgresDeadLetters letters;
  private final PostgresOrders orders;
  private final PostgresSnapshots snapshots;

  private Ledger(PostgresDatabase database) {
    this.sink = new PostgresLedger(database);
    this.letters = new PostgresDeadLetters(database);
    this.orders = new PostgresOrders(database);
    this.snapshots = new PostgresSnapshots(database);
  }

  /// The books kept in a database.
  public static Ledger of(PostgresDatabase database) {
    return new Ledger(database);
  }

  /// Where outbox entries are written.
  public OutboxSink sink() {
    return sink;
  }

  /// Where entries go that cannot be written.
  public DeadLetters deadLetters() {
    return letters;
  }

  /// An order; it may stand in Redis for some milliseconds before it stands here.
  public Future<Optional<LedgerOrder>> find(OrderId id) {
    return orders.find(id);
  }

  /// Orders, newest first.
  ///
  /// @param product null = of all products
  /// @param status null = any
  /// @param after the last order of the page before; null = the first page
  /// @param most orders per page
  public Future<List<LedgerOrder>> orders(
      @Nullable ProductId product,
      @Nullable OrderStatus status,
      @Nullable OrderId after,
      int most) {
    return orders.page(product, status, after, most);
  }

  /// How far the books have read the outbox of every sale that has any history. Blocks.
  public Map<ProductId, LedgerSnapshot.Position> positions() {
    return snapshots.positions();
  }

  /// What the books say of a sale; empty when there is none. Blocks.
  public Optional<LedgerSnapshot> snapshot(ProductId product) {
    return snapshots.read(product);
  }

  /// As above, and hands over all pending and paid orders of the same instant, in chunks, ordered
  /// by session. Blocks; the consumer is called on the same thread.
  public Optional<LedgerSnapshot> snapshot(ProductId product, Consumer<List<LedgerOrder>> live) {
    return snapshots.read(product, live);
  }
}
