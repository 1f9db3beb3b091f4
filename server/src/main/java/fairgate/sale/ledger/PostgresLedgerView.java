package fairgate.sale.ledger;

import fairgate.kernel.ProductId;
import fairgate.platform.events.InTransit;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.LedgerView;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What a sale's gate is rebuilt from.
final class PostgresLedgerView implements LedgerView {
  private static final int CHUNK = 2_000;

  /// Entries take some milliseconds; a ledger that is further behind is looked at later.
  private static final Duration ARRIVAL = Duration.ofSeconds(2);

  private static final Duration QUIET = Duration.ofSeconds(30);
  private static final String HEADS = "SELECT product_id, epoch, last_seq FROM outbox_positions";
  private static final String TOTALS =
      """
      SELECT t.released, t.held, t.confirmed,
             (SELECT coalesce(max(b.release_seq), 0) FROM stock_batches b
              WHERE b.product_id = t.product_id) AS batches
      FROM sale_totals t WHERE t.product_id = $1
      """;
  private static final String ORDERS =
      "SELECT "
          + PostgresOrders.COLUMNS
          + """
          , (SELECT array_agg(r.payment_id) FROM refunds r
              WHERE r.order_id = orders.order_id) AS refunds
           FROM orders WHERE platform = 'fairgate' AND product_id = $1 AND order_id > $2
          ORDER BY order_id LIMIT $3
          """;

  private final PostgresDatabase database;
  private final InTransit inTransit;

  PostgresLedgerView(PostgresDatabase database, InTransit inTransit) {
    this.database = database;
    this.inTransit = inTransit;
  }

  @Override
  public void settle() {
    inTransit.awaitQuiet(QUIET);
  }

  @Override
  public Map<ProductId, Head> heads() {
    inTransit.awaitArrived(ARRIVAL);
    return database.tx(
        db -> {
          Map<ProductId, Head> heads = new HashMap<>();
          db.query(HEADS)
              .forEach(
                  row ->
                      heads.put(
                          new ProductId(row.getString("product_id")),
                          new Head(row.getLong("epoch"), row.getLong("last_seq"))));
          return heads;
        });
  }

  @Override
  public Optional<Totals> totals(ProductId product) {
    return database.tx(
        db ->
            db.query(TOTALS, product.value()).stream()
                .findFirst()
                .map(
                    row ->
                        new Totals(
                            row.getLong("released"),
                            row.getLong("held"),
                            row.getLong("confirmed"),
                            row.getInteger("batches"))));
  }

  @Override
  public void orders(ProductId product, Consumer<List<KnownOrder>> chunk) {
    var _ = database.reading(db -> read(db, product, chunk));
  }

  private static int read(Db db, ProductId product, Consumer<List<KnownOrder>> chunk) {
    int orders = 0;
    String after = "";
    while (true) {
      List<Row> rows = db.query(ORDERS, product.value(), after, CHUNK);
      if (rows.isEmpty()) {
        return orders;
      }
      chunk.accept(rows.stream().map(row -> known(product, row)).toList());
      orders += rows.size();
      after = rows.getLast().getString("order_id");
    }
  }

  /// The hash `order:{order_id}` as the scripts keep it.
  private static KnownOrder known(ProductId product, Row row) {
    LedgerOrder order = PostgresOrders.order(row);
    LedgerOrder.Standing standing = order.standing();
    Map<String, String> fields = new HashMap<>();
    fields.put("product_id", product.value());
    fields.put("session", order.buyer().session());
    fields.put("user", order.buyer().user());
    fields.put("device", order.buyer().device());
    fields.put("quantity", Integer.toString(order.quantity()));
    fields.put("amount", Long.toString(order.amount().minorUnits()));
    fields.put("currency", order.amount().currency());
    fields.put("status", standing.status().word());
    fields.put(
        "first", (standing.paid().version() == 1 ? OrderStatus.PAID : OrderStatus.PENDING).word());
    fields.put("version", Integer.toString(standing.version()));
    fields.put("created_at", Long.toString(standing.createdAt().toEpochMilli()));
    fields.put("updated_at", Long.toString(standing.updatedAt().toEpochMilli()));
    fields.put("pay_by", millis(standing.payBy()));
    // What was left right after the purchase is told to the buyer once and not kept in the books.
    fields.put("remaining", "0");
    String payment = standing.paid().payment();
    if (payment != null) {
      fields.put("payment", payment);
    }
    String[] refunds = row.getArrayOfStrings("refunds");
    if (refunds != null) {
      for (String refund : refunds) {
        fields.put("refund:" + refund, "1");
      }
    }
    return new KnownOrder(order.id().value(), fields);
  }

  private static String millis(@Nullable Instant at) {
    return at == null ? "0" : Long.toString(at.toEpochMilli());
  }
}
