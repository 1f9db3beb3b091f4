package fairgate.sale.ledger;

import fairgate.kernel.ProductId;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.ledger.LedgerSnapshot.Position;
import fairgate.sale.ledger.LedgerSnapshot.Totals;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// Reads what a sale's gate is rebuilt from.
final class PostgresSnapshots {
  private static final int CHUNK = 2_000;
  private static final String SALE =
      """
      SELECT t.released, t.held, t.confirmed,
             (SELECT coalesce(max(b.release_seq), 0) FROM stock_batches b
              WHERE b.product_id = t.product_id) AS last_release,
             coalesce(p.epoch, 0) AS epoch, coalesce(p.last_seq, 0) AS last_seq,
             coalesce(p.gaps, 0) AS gaps
      FROM sale_totals t LEFT JOIN outbox_positions p USING (product_id)
      WHERE t.product_id = $1
      """;
  private static final String POSITIONS =
      "SELECT product_id, epoch, last_seq, gaps FROM outbox_positions";
  private static final String LIVE =
      "SELECT "
          + PostgresOrders.COLUMNS
          + """
           FROM orders WHERE platform = 'fairgate' AND status IN ('pending', 'paid')
            AND product_id = $1 AND session_id > $2
          ORDER BY session_id LIMIT $3
          """;

  private final PostgresDatabase database;

  PostgresSnapshots(PostgresDatabase database) {
    this.database = database;
  }

  Optional<LedgerSnapshot> read(ProductId product) {
    return database.reading(db -> sale(db, product));
  }

  Optional<LedgerSnapshot> read(ProductId product, Consumer<List<LedgerOrder>> live) {
    return database.reading(
        db -> {
          Optional<LedgerSnapshot> sale = sale(db, product);
          if (sale.isPresent()) {
            orders(db, product, live);
          }
          return sale;
        });
  }

  Map<ProductId, Position> positions() {
    return database.reading(
        db ->
            db.query(POSITIONS).stream()
                .collect(
                    Collectors.toUnmodifiableMap(
                        row -> new ProductId(row.getString("product_id")),
                        row ->
                            new Position(
                                row.getLong("epoch"),
                                row.getLong("last_seq"),
                                row.getLong("gaps")))));
  }

  private static Optional<LedgerSnapshot> sale(Db db, ProductId product) {
    return db.query(SALE, product.value()).stream().findFirst().map(row -> snapshot(product, row));
  }

  private static LedgerSnapshot snapshot(ProductId product, Row row) {
    return new LedgerSnapshot(
        product,
        new Totals(row.getLong("released"), row.getLong("held"), row.getLong("confirmed")),
        row.getInteger("last_release"),
        new Position(row.getLong("epoch"), row.getLong("last_seq"), row.getLong("gaps")));
  }

  private static void orders(Db db, ProductId product, Consumer<List<LedgerOrder>> live) {
    String after = "";
    while (true) {
      List<LedgerOrder> chunk =
          db.query(LIVE, product.value(), after, CHUNK).stream()
              .map(PostgresOrders::order)
              .toList();
      if (chunk.isEmpty()) {
        return;
      }
      live.accept(chunk);
      after = chunk.getLast().buyer().session();
    }
  }
}
