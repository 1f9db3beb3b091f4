package fairgate.catalog;

import fairgate.catalog.Catalog.BatchOutcome;
import fairgate.catalog.Catalog.StockBatch;
import fairgate.catalog.PostgresProducts.LockedProduct;
import fairgate.catalog.SalePolicy.PlannedBatch;
import fairgate.catalog.SalePolicy.Schedule;
import fairgate.kernel.ProductId;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The table `stock_batches`: the plan by `seq`, the order of release by `release_seq`. They differ
/// when an operator adds units while later ones are planned.
record PostgresBatches(PostgresDatabase database) {
  private static final String COLUMNS = "product_id, seq, quantity, due_at, release_seq";
  private static final String INSERT =
      """
      INSERT INTO stock_batches (product_id, seq, quantity, due_at, batch_key)
      SELECT $1, coalesce(max(seq), 0) + 1, $2, $3, $4 FROM stock_batches WHERE product_id = $1
      RETURNING product_id, seq, quantity, due_at, release_seq
      """;
  private static final String BY_KEY =
      "SELECT " + COLUMNS + " FROM stock_batches WHERE product_id = $1 AND batch_key = $2";
  private static final String FIXED =
      """
      SELECT 1 FROM stock_batches WHERE product_id = $1
      AND (released_at IS NOT NULL OR (batch_key <> 'initial' AND batch_key !~ '^plan-[0-9]+$'))
      LIMIT 1
      """;
  private static final String CLEAR = "DELETE FROM stock_batches WHERE product_id = $1";

  private static final String IS_DUE =
      """
      b.released_at IS NULL AND p.state <> 'closed'
        AND (p.closes_at IS NULL OR p.closes_at > $1)
        AND CASE WHEN b.due_at IS NOT NULL THEN b.due_at <= $1
                 WHEN p.opens_at IS NOT NULL THEN p.opens_at <= $1
                 ELSE p.opened END
      """;

  private static final String DUE =
      """
      SELECT b.product_id, b.seq, b.quantity, b.due_at, b.release_seq
      FROM stock_batches b JOIN products p ON p.id = b.product_id WHERE
      """
          + IS_DUE
          + "ORDER BY b.product_id, b.due_at NULLS FIRST, b.seq";
  private static final String LOCK_TOTALS =
      "SELECT 1 FROM sale_totals WHERE product_id = $1 FOR UPDATE";

  /// In the order of ids and each product before its totals, as in all transactions that lock them.
  private static final String LOCK_SALES =
      """
      SELECT p.id FROM products p JOIN sale_totals t ON t.product_id = p.id
      WHERE p.id = ANY($1::text[]) ORDER BY p.id FOR UPDATE OF p, t
      """;

  private static final String RELEASE =
      """
      WITH due AS (
        SELECT b.product_id, b.seq,
          (SELECT coalesce(max(r.release_seq), 0) FROM stock_batches r
           WHERE r.product_id = b.product_id)
          + row_number() OVER (PARTITION BY b.product_id ORDER BY b.due_at NULLS FIRST, b.seq)
          AS number
        FROM stock_batches b JOIN products p ON p.id = b.product_id
        WHERE p.id = ANY($2::text[])
        AND
      """
          + IS_DUE
          + """
          ), released AS (
            UPDATE stock_batches b SET released_at = now(), release_seq = due.number::int
            FROM due WHERE b.product_id = due.product_id AND b.seq = due.seq
            RETURNING b.product_id, b.quantity
          ), raised AS (
            UPDATE sale_totals t SET released = t.released + s.units
            FROM (SELECT product_id, sum(quantity) AS units FROM released GROUP BY product_id) s
            WHERE t.product_id = s.product_id
          )
          UPDATE products SET updated_at = now(), version = nextval('product_changes')
          WHERE id IN (SELECT product_id FROM released)
          """;
  private static final String RELEASED =
      """
      SELECT b.product_id, b.seq, b.quantity, b.due_at, b.release_seq
      FROM unnest($1::text[], $2::int[]) AS known (product_id, release)
      JOIN stock_batches b ON b.product_id = known.product_id AND b.release_seq > known.release
      ORDER BY b.product_id, b.release_seq
      """;

  /// Inserts the plan of a product that has none.
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

  /// Replaces the plan unless units were released or added.
  boolean replan(Db db, ProductId product, int total, Schedule schedule) {
    // A release locks this row too, so no batch can be released meanwhile.
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
          LockedProduct locked = PostgresProducts.standing(db, id).orElse(null);
          if (locked == null) {
            return new BatchOutcome.UnknownProduct();
          }
          Product product = locked.product();
          // Keys of operators have another namespace than those of the plan.
          String stored = "added-" + key;
          Optional<StockBatch> known = first(db.query(BY_KEY, id.value(), stored));
          boolean isAfterDraw = DrawPromise.isOn(db, id);
          if (known.isPresent()) {
            return known.get().quantity() == quantity
                ? new BatchOutcome.Repeated(known.get(), isAfterDraw)
                : new BatchOutcome.KeyTaken(known.get());
          }
          if (locked.state() == ProductState.CLOSED) {
            return new BatchOutcome.StateConflict(locked.state());
          }
          int room = PolicyJson.MOST_UNITS - product.details().totalStock();
          if (room < 1) {
            return new BatchOutcome.Invalid(
                PolicyProblem.of("quantity", "no_room", Integer.toString(PolicyJson.MOST_UNITS)));
          }
          if (quantity > room) {
            return new BatchOutcome.Invalid(
                PolicyProblem.of("quantity", "out_of_range", "1", Integer.toString(room)));
          }
          var added = first(db.query(INSERT, id.value(), quantity, null, stored));
          PostgresProducts.touch(db, id, product.state(), quantity);
          return new BatchOutcome.Added(added.orElseThrow(), isAfterDraw);
        });
  }

  List<StockBatch> due(Instant now) {
    return database.list(DUE, PostgresBatches::batch, PostgresProducts.time(now));
  }

  /// The result of `release`.
  ///
  /// @param done whether anything was due that could be locked
  /// @param busy the products with due batches whose rows somebody else had locked
  record Released(boolean done, Set<ProductId> busy) {}

  /// Releases the due batches of these products in one transaction.
  ///
  /// @param waits whether it waits for rows that are locked, instead of passing them by
  Released release(Collection<ProductId> products, Instant now, boolean waits) {
    Set<ProductId> wanted = due(now).stream().map(StockBatch::product).collect(Collectors.toSet());
    wanted.retainAll(Set.copyOf(products));
    if (wanted.isEmpty()) {
      return new Released(false, Set.of());
    }
    List<String> locked = release(waits ? LOCK_SALES : LOCK_SALES + " SKIP LOCKED", wanted, now);
    locked.forEach(id -> wanted.remove(new ProductId(id)));
    return new Released(!locked.isEmpty(), wanted);
  }

  private List<String> release(String lock, Set<ProductId> products, Instant now) {
    String[] ids = products.stream().map(ProductId::value).toArray(String[]::new);
    return database.tx(
        db -> {
          List<String> locked = db.list(lock, row -> row.getString("id"), (Object) ids);
          db.update(RELEASE, PostgresProducts.time(now), locked.toArray(String[]::new));
          return locked;
        });
  }

  List<StockBatch> releasedAfter(Map<ProductId, Integer> releases) {
    List<ProductId> products = List.copyOf(releases.keySet());
    String[] ids = products.stream().map(ProductId::value).toArray(String[]::new);
    Integer[] known = products.stream().map(releases::get).toArray(Integer[]::new);
    return database.list(RELEASED, PostgresBatches::batch, ids, known);
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
