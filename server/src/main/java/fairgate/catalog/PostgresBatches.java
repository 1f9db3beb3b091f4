package fairgate.catalog;

import fairgate.catalog.SalePolicy.PlannedBatch;
import fairgate.catalog.SalePolicy.Schedule;
import fairgate.kernel.ProductId;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The table `stock_batches`: the plan by `seq`, and the order of release by `release_seq`. The two
/// differ when an operator adds units while later ones are still planned.
final class PostgresBatches {
  private static final String COLUMNS = "product_id, seq, quantity, due_at, release_seq";
  private static final String INSERT =
      """
      INSERT INTO stock_batches (product_id, seq, quantity, due_at, batch_key)
      SELECT $1, coalesce(max(seq), 0) + 1, $2, $3, $4 FROM stock_batches WHERE product_id = $1
      RETURNING product_id, seq, quantity, due_at, release_seq
      """;
  private static final String BY_KEY =
      "SELECT " + COLUMNS + " FROM stock_batches WHERE product_id = $1 AND batch_key = $2";
  private static final String BY_SEQ =
      "SELECT " + COLUMNS + " FROM stock_batches WHERE product_id = $1 AND seq = $2";
  private static final String FIXED =
      """
      SELECT 1 FROM stock_batches WHERE product_id = $1
      AND (released_at IS NOT NULL OR (batch_key <> 'initial' AND batch_key !~ '^plan-[0-9]+$'))
      LIMIT 1
      """;
  private static final String CLEAR = "DELETE FROM stock_batches WHERE product_id = $1";
  private static final String DUE =
      """
      SELECT b.product_id, b.seq, b.quantity, b.due_at, b.release_seq
      FROM stock_batches b JOIN products p ON p.id = b.product_id
      WHERE b.released_at IS NULL AND p.state <> 'closed'
        AND (p.closes_at IS NULL OR p.closes_at > $1)
        AND CASE WHEN b.due_at IS NULL
            THEN p.state <> 'scheduled' OR p.opens_at <= $1 ELSE b.due_at <= $1 END
      ORDER BY b.product_id, b.due_at NULLS FIRST, b.seq
      """;
  private static final String LOCK_TOTALS =
      "SELECT 1 FROM sale_totals WHERE product_id = $1 FOR UPDATE";
  private static final String RELEASE =
      """
      UPDATE stock_batches SET released_at = now(), release_seq =
        (SELECT coalesce(max(release_seq), 0) + 1 FROM stock_batches WHERE product_id = $1)
      WHERE product_id = $1 AND seq = $2 AND released_at IS NULL
      RETURNING product_id, seq, quantity, due_at, release_seq
      """;
  private static final String RAISE =
      "UPDATE sale_totals SET released = released + $2 WHERE product_id = $1";
  private static final String RELEASED =
      "SELECT "
          + COLUMNS
          + " FROM stock_batches WHERE product_id = $1 AND release_seq > $2 ORDER BY release_seq";

  private final PostgresDatabase database;

  PostgresBatches(PostgresDatabase database) {
    this.database = database;
  }

  /// Writes the plan of a product that has none.
  void plan(Db db, ProductId product, int total, Schedule schedule) {
    if (schedule.batches().isEmpty()) {
      if (total > 0) {
        db.update(INSERT, product.value(), total, null, "initial");
      }
      return;
    }
    int number = 0;
    for (PlannedBatch batch : schedule.batches()) {
      number++;
      db.update(
          INSERT,
          product.value(),
          batch.quantity(),
          PostgresProducts.time(batch.at()),
          "plan-" + number);
    }
  }

  /// Replaces the plan, unless units were released or added already.
  boolean replan(Db db, ProductId product, int total, Schedule schedule) {
    // A release locks this row too, so no batch can go out meanwhile.
    var _ = db.query(LOCK_TOTALS, product.value());
    if (!db.query(FIXED, product.value()).isEmpty()) {
      return false;
    }
    db.update(CLEAR, product.value());
    plan(db, product, total, schedule);
    return true;
  }

  BatchOutcome add(ProductId id, int quantity, String key) {
    List<PolicyProblem> problems = ProductRules.checkBatch(quantity, key);
    if (!problems.isEmpty()) {
      return new BatchOutcome.Invalid(problems.getFirst());
    }
    return database.tx(
        db -> {
          Product product = PostgresProducts.lock(db, id).orElse(null);
          if (product == null) {
            return new BatchOutcome.UnknownProduct();
          }
          // Keys of the operator's own live in a namespace apart from those of the plan.
          String stored = "added-" + key;
          Optional<StockBatch> known = first(db.query(BY_KEY, id.value(), stored));
          if (known.isPresent()) {
            return known.get().quantity() == quantity
                ? new BatchOutcome.Repeated(known.get())
                : new BatchOutcome.KeyTaken(known.get());
          }
          if (product.state() == ProductState.CLOSED) {
            return new BatchOutcome.StateConflict(product.state());
          }
          int room = PolicyJson.MOST_UNITS - product.details().totalStock();
          if (quantity > room) {
            return new BatchOutcome.Invalid(
                PolicyProblem.of("quantity", "out_of_range", "1", Integer.toString(room)));
          }
          var added = first(db.query(INSERT, id.value(), quantity, null, stored));
          PostgresProducts.touch(db, id, product.state(), quantity);
          return new BatchOutcome.Added(added.orElseThrow());
        });
  }

  List<StockBatch> due(Instant now) {
    return database.tx(
        db ->
            db.query(DUE, PostgresProducts.time(now)).stream()
                .map(PostgresBatches::batch)
                .toList());
  }

  Optional<StockBatch> release(ProductId product, int seq) {
    return database.tx(
        db -> {
          Product locked = PostgresProducts.lock(db, product).orElse(null);
          if (locked == null) {
            return Optional.empty();
          }
          var _ = db.query(LOCK_TOTALS, product.value());
          Optional<StockBatch> released = first(db.query(RELEASE, product.value(), seq));
          if (released.isEmpty()) {
            return first(db.query(BY_SEQ, product.value(), seq));
          }
          db.update(RAISE, product.value(), (long) released.get().quantity());
          PostgresProducts.touch(db, product, locked.state(), 0);
          return released;
        });
  }

  List<StockBatch> releasedAfter(ProductId product, int release) {
    return database.tx(
        db ->
            db.query(RELEASED, product.value(), release).stream()
                .map(PostgresBatches::batch)
                .toList());
  }

  private static Optional<StockBatch> first(List<Row> rows) {
    return rows.stream().findFirst().map(PostgresBatches::batch);
  }

  private static StockBatch batch(Row row) {
    return new StockBatch(
        new ProductId(row.getString("product_id")),
        row.getInteger("seq"),
        row.getInteger("quantity"),
        PostgresProducts.instant(row, "due_at"),
        row.getInteger("release_seq"));
  }
}
