package fairgate.sale.ledger;

import fairgate.kernel.ProductId;
import fairgate.platform.events.InTransit;
import fairgate.platform.events.OutboxSink;
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

/// Reads the ledger for comparing and rebuilding sales.
record PostgresLedgerView(PostgresDatabase database, InTransit inTransit, OutboxSink sink)
    implements LedgerView {
  private static final int CHUNK = 2_000;

  /// Entries take some milliseconds. A ledger that is further behind is read later.
  private static final Duration ARRIVAL = Duration.ofSeconds(2);

  private static final Duration QUIET = Duration.ofSeconds(30);
  private static final String HEADS =
      """
      SELECT p.product_id, p.epoch, p.last_seq, p.applied, p.earlier, t.held, t.confirmed
      FROM outbox_positions p JOIN sale_totals t USING (product_id)
      """;
  private static final String HEAD = HEADS + " WHERE p.product_id = $1";
  private static final String EVENTS =
      "SELECT earlier + applied FROM outbox_positions WHERE product_id = $1";

  /// Each batch of the sale holds this lock until its commit.
  private static final String LOCK = "SELECT 1 FROM sale_totals WHERE product_id = $1 FOR UPDATE";

  private static final String OPEN_EPOCH =
      """
      INSERT INTO sale_epochs AS e (product_id, opened) VALUES ($1, $2 + 1)
      ON CONFLICT (product_id) DO UPDATE SET opened = greatest(e.opened, $2) + 1
      RETURNING opened
      """;
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
              WHERE r.order_id = orders.order_id AND r.part = '') AS refunds
           , (SELECT array_agg(r.part || ' ' || r.amount) FROM refunds r
              WHERE r.order_id = orders.order_id AND r.part <> '') AS parts
           , (SELECT d.deposit_id || ' ' || d.amount FROM deposits d
              WHERE d.deposit_id = orders.deposit_id) AS deposit
           FROM orders WHERE platform = 'fairgate' AND product_id = $1 AND order_id > $2
          ORDER BY order_id LIMIT $3
          """;

  @Override
  public void settle(ProductId product) {
    inTransit.awaitQuiet(QUIET, () -> head(product).all());
    var _ = database.rows(LOCK, product.value());
  }

  @Override
  public boolean quiet(ProductId product) {
    return database.tx(
        db ->
            !db.query(LOCK + " SKIP LOCKED", product.value()).isEmpty()
                || db.query(TOTALS, product.value()).isEmpty());
  }

  @Override
  public Head head(ProductId product) {
    return database.first(HEAD, PostgresLedgerView::head, product.value()).orElse(Head.NOTHING);
  }

  @Override
  public long openEpoch(ProductId product, long above) {
    return database.tx(db -> db.query(OPEN_EPOCH, product.value(), above).getFirst().getLong(0));
  }

  private static Head head(Row row) {
    return new Head(
        row.getLong("epoch"),
        row.getLong("last_seq"),
        row.getLong("applied"),
        row.getLong("earlier"),
        row.getLong("held"),
        row.getLong("confirmed"));
  }

  @Override
  public Map<ProductId, Head> heads() {
    inTransit.awaitArrived(ARRIVAL);
    Map<ProductId, Head> heads = new HashMap<>();
    database
        .rows(HEADS)
        .forEach(row -> heads.put(new ProductId(row.getString("product_id")), head(row)));
    return heads;
  }

  @Override
  public Optional<Totals> totals(ProductId product) {
    return database.rows(TOTALS, product.value()).stream()
        .findFirst()
        .map(
            row ->
                new Totals(
                    row.getLong("released"),
                    row.getLong("held"),
                    row.getLong("confirmed"),
                    row.getInteger("batches")));
  }

  @Override
  public long orders(ProductId product, Consumer<List<KnownOrder>> chunk) {
    return database.reading(db -> read(db, product, chunk));
  }

  private static long read(Db db, ProductId product, Consumer<List<KnownOrder>> chunk) {
    long events = db.query(EVENTS, product.value()).stream().mapToLong(row -> row.getLong(0)).sum();
    String after = "";
    while (true) {
      List<Row> rows = db.query(ORDERS, product.value(), after, CHUNK);
      if (rows.isEmpty()) {
        return events;
      }
      chunk.accept(rows.stream().map(PostgresLedgerView::known).toList());
      after = rows.getLast().getString("order_id");
    }
  }

  /// The fields of the hash `order:{order_id}`, as the scripts write them.
  private static KnownOrder known(Row row) {
    LedgerOrder order = PostgresOrders.order(row);
    LedgerOrder.State standing = order.standing();
    Map<String, String> fields = new HashMap<>();
    fields.put("session", order.buyer().session());
    fields.put("user", order.buyer().user());
    fields.put("device", order.buyer().device());
    fields.put("quantity", Integer.toString(order.quantity()));
    fields.put("amount", Long.toString(order.amount().minorUnits()));
    fields.put("currency", order.amount().currency());
    fields.put("status", standing.status().wire());
    fields.put(
        "first", (standing.paid().version() == 1 ? OrderStatus.PAID : OrderStatus.PENDING).wire());
    fields.put("version", Integer.toString(standing.version()));
    fields.put("created_at", Long.toString(standing.createdAt().toEpochMilli()));
    fields.put("pay_by", millis(standing.payBy()));
    // The stock left after the purchase is returned to the buyer once and not stored in the ledger.
    fields.put("remaining", "0");
    String payment = standing.paid().payment();
    if (payment != null) {
      fields.put("payment", payment);
    }
    String deposit = row.getString("deposit");
    if (deposit != null) {
      fields.put("deposit", deposit);
    }
    String[] refunds = row.getArrayOfStrings("refunds");
    if (refunds != null) {
      for (String refund : refunds) {
        fields.put("refund:" + refund, "1");
      }
    }
    addParts(row.getArrayOfStrings("parts"), fields);
    return new KnownOrder(order.id().value(), fields);
  }

  /// @param parts names and amounts of parts of the payment that go back
  private static void addParts(String @Nullable [] parts, Map<String, String> fields) {
    if (parts == null) {
      return;
    }
    long sum = 0;
    for (String each : parts) {
      int cut = each.indexOf(' ');
      String name = each.substring(0, cut);
      String amount = each.substring(cut + 1);
      fields.put("part:" + name, "1");
      fields.put("part_amount:" + name, amount);
      sum += Long.parseLong(amount);
    }
    fields.put("refund_parts", Long.toString(sum));
  }

  private static String millis(@Nullable Instant at) {
    return at == null ? "0" : Long.toString(at.toEpochMilli());
  }
}
