package fairgate.sale.ledger;

import fairgate.TestEngines;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.catalog.ProductState;
import fairgate.catalog.SalePolicy;
import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.events.OutboxStream;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.TestDatabase;
import fairgate.testkit.Eventually;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// A ledger in a fresh database of a real PostgreSQL.
public final class LedgerFixture implements AutoCloseable {
  private static final AtomicLong PRODUCTS = new AtomicLong(100);

  private final Vertx vertx = Vertx.vertx();
  private final PostgresAddress address;
  private final PostgresDatabase database;
  private final Ledger ledger;

  private LedgerFixture(PostgresAddress address) {
    this.address = address;
    this.database = TestDatabase.open(vertx, address, 6);
    this.ledger = Ledger.of(database);
  }

  /// Books nobody else writes.
  public static LedgerFixture fresh(TestEngines engines) {
    return new LedgerFixture(engines.freshDatabase());
  }

  /// Books that several classes write.
  public static LedgerFixture kept(TestEngines engines) {
    return new LedgerFixture(engines.keptDatabase());
  }

  public Vertx vertx() {
    return vertx;
  }

  public PostgresAddress address() {
    return address;
  }

  public PostgresDatabase database() {
    return database;
  }

  public Ledger ledger() {
    return ledger;
  }

  /// The outbox of a new, open sale with so many units released.
  public OutboxStream sale(int units) {
    ProductId id = new ProductId(Long.toString(PRODUCTS.incrementAndGet()));
    try (Catalog catalog = Catalog.open(database)) {
      Product.Details details =
          new Product.Details("a thing", "", new Money(100, "TWD"), units, null);
      var _ = catalog.create(id, details, SalePolicy.Preset.FLASH.policy(), "test");
      var _ = catalog.step(id, ProductState.Step.OPEN, "ann");
      if (units > 0) {
        var _ = catalog.release(List.of(id), Instant.now(), true);
      }
    }
    return new OutboxStream(id, "event:" + id + ":outbox");
  }

  public List<Row> query(String sql, Object... args) {
    return database.tx(db -> db.query(sql, args));
  }

  /// The first column of the first row.
  public long number(String sql, Object... args) {
    return query(sql, args).getFirst().getLong(0);
  }

  /// Released, held and confirmed units of a sale.
  public String totals(OutboxStream sale) {
    Row row =
        query(
                "SELECT released, held, confirmed FROM sale_totals WHERE product_id = $1",
                sale.product().value())
            .getFirst();
    return row.getLong(0) + "/" + row.getLong(1) + "/" + row.getLong(2);
  }

  /// Waits until the condition holds; fails after two minutes.
  public static void eventually(String what, Eventually.Condition condition) {
    Eventually.await(what, condition);
  }

  @Override
  public void close() {
    database.close();
    vertx.close().await();
  }
}
