package fairgate.sale.ledger;

import fairgate.kernel.ProductId;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.LedgerView.Head;
import io.vertx.sqlclient.Row;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads the units of sales from PostgreSQL, each sale in one snapshot.
final class PostgresSaleBooks {
  private static final String PRODUCT =
      """
      SELECT p.name, coalesce(t.released, 0), coalesce(t.held, 0), coalesce(t.confirmed, 0)
      FROM products p LEFT JOIN sale_totals t ON t.product_id = p.id WHERE p.id = $1
      """;
  private static final String PRODUCTS = "SELECT product_id FROM sale_totals ORDER BY product_id";
  private static final String POSITION =
      "SELECT epoch, last_seq, applied, earlier FROM outbox_positions WHERE product_id = $1";
  private static final String BATCHES =
      """
      SELECT coalesce(sum(quantity), 0)::bigint FROM stock_batches
      WHERE product_id = $1 AND released_at IS NOT NULL
      """;
  private static final String ORDERS =
      """
      SELECT coalesce(sum(quantity) FILTER (WHERE status = 'pending'), 0)::bigint,
             coalesce(sum(quantity) FILTER (WHERE status = 'paid'), 0)::bigint
      FROM orders WHERE platform = 'fairgate' AND product_id = $1
      """;
  private static final String REJECTED =
      "SELECT count(*) FROM dead_letters WHERE product_id = $1 AND resolved_at IS NULL";

  private PostgresSaleBooks() {}

  /// Reads the units of every sale with stock, by product. Blocks.
  static Map<ProductId, SaleBooks> all(PostgresDatabase database) {
    return database.reading(
        db -> {
          Map<ProductId, SaleBooks> sales = new LinkedHashMap<>();
          for (Row row : db.query(PRODUCTS)) {
            String product = row.getString(0);
            read(db, product).ifPresent(books -> sales.put(new ProductId(product), books));
          }
          return sales;
        });
  }

  /// Reads the units of a sale; empty when there is no such product. Blocks.
  static Optional<SaleBooks> read(PostgresDatabase database, ProductId product) {
    return database.reading(db -> read(db, product.value()));
  }

  private static Optional<SaleBooks> read(Db db, String product) {
    List<Row> found = db.query(PRODUCT, product);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Row totals = found.getFirst();
    Row orders = db.query(ORDERS, product).getFirst();
    long held = totals.getLong(2);
    long sold = totals.getLong(3);
    Head head =
        db.query(POSITION, product).stream()
            .findFirst()
            .map(
                row ->
                    new Head(
                        row.getLong(0), row.getLong(1), row.getLong(2), row.getLong(3), held, sold))
            .orElse(new Head(0, 0, 0, 0, held, sold));
    return Optional.of(
        new SaleBooks(
            totals.getString(0),
            head,
            totals.getLong(1),
            db.query(BATCHES, product).getFirst().getLong(0),
            orders.getLong(0),
            orders.getLong(1),
            db.query(REJECTED, product).getFirst().getLong(0)));
  }
}
