package fairgate.redeem.transfer;

import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.redeem.code.OrderCodes;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.stream.IntStream;

/// Undoes an import, a thousand orders per transaction. A repeat continues an interrupted one: a
/// restored order no longer has the import's mark.
record PostgresImportUndo(PostgresDatabase database) {
  private static final int MAX_BATCH_SIZE = 1_000;

  /// No node may be importing it: a node that was presumed dead finds that it has lost the import.
  private static final String BEGIN =
      """
      UPDATE order_imports
      SET undone_at = coalesce(undone_at, now()), undone_by = coalesce(undone_by, $2),
          state = CASE WHEN state = 'running' THEN 'failed' ELSE state END,
          finished_at = coalesce(finished_at, now()), changed_at = now(), updated_at = now()
      WHERE id = $1\
      """;

  private static final String PUT_BACK =
      """
      WITH due AS (
        SELECT c.* FROM order_import_changes c
        JOIN orders o ON o.platform = c.platform AND o.order_id = c.order_id
                     AND o.product_id = c.became AND o.import_hash = c.import_id || '.' || c.run
        WHERE c.import_id = $1 AND (c.platform, c.order_id) > ($2::text, $3::text)
        ORDER BY c.platform, c.order_id LIMIT $4 FOR UPDATE OF o),
      back AS (
        UPDATE orders o SET product_id = d.product_id, amount = d.amount, currency = d.currency,
          status = d.status, paid_at = d.paid_at, expires_at = d.expires_at,
          import_hash = d.import_hash, version = d.version, updated_at = now()
        FROM due d
        WHERE o.platform = d.platform AND o.order_id = d.order_id AND o.product_id = d.became)
      SELECT platform, order_id FROM due ORDER BY platform, order_id\
      """;

  /// Only an order that an import added is of version 1 and carries its mark.
  private static final String REMOVE =
      """
      WITH due AS (
        SELECT platform, order_id, product_id FROM orders o
        WHERE o.import_hash = ANY($1::text[]) AND o.version = 1 AND (o.platform, o.order_id) > ($2::text, $3::text)
          AND NOT EXISTS (SELECT FROM order_redemptions r
                          WHERE r.platform = o.platform AND r.order_id = o.order_id
                            AND r.product_id = o.product_id)
        ORDER BY o.platform, o.order_id LIMIT $4 FOR UPDATE OF o),
      gone AS (
        DELETE FROM orders o USING due d
        WHERE o.platform = d.platform AND o.order_id = d.order_id AND o.product_id = d.product_id),
      codes AS (
        DELETE FROM redemption_codes c USING due d
        WHERE c.platform = d.platform AND c.order_id = d.order_id AND c.product_id = d.product_id
          AND c.state = 'available'
        RETURNING c.id),
      history AS (
        INSERT INTO code_events (code_id, from_state, to_state, actor, reason)
        SELECT id, 'available', 'revoked', $5::text, 'import undone' FROM codes)
      SELECT platform, order_id FROM due ORDER BY platform, order_id\
      """;

  private static final String KEPT =
      "SELECT count(*) FROM orders WHERE import_hash = ANY($1::text[]) AND version = 1";

  ImportService.UndoOutcome undo(String id, String actor) {
    List<Row> found = database.tx(db -> begin(db, id, actor));
    if (found.isEmpty()) {
      return new ImportService.UndoOutcome.Unknown();
    }
    ImportJob job = PostgresImports.job(found.getFirst());
    if (job.dryRun()) {
      return new ImportService.UndoOutcome.DryRun();
    }
    if (job.state() == ImportJob.State.RUNNING) {
      return new ImportService.UndoOutcome.Running();
    }
    Object marks =
        IntStream.rangeClosed(1, found.getFirst().getInteger("run"))
            .mapToObj(run -> id + "." + run)
            .toArray(String[]::new);
    Progress back = new Progress();
    // An order that two runs of the import changed goes back twice.
    while (pass(back, (db, page) -> putBack(db, id, page, back))) {
      back.rewind();
    }
    Progress removed = new Progress();
    // A page may end between two products of an order.
    while (pass(
        removed, (db, page) -> db.query(REMOVE, marks, page[0], page[1], MAX_BATCH_SIZE, actor))) {
      removed.rewind();
    }
    long kept = database.reading(db -> db.query(KEPT, marks).getFirst().getLong(0));
    ImportJob now = database.reading(db -> new PostgresImports(database).find(id)).orElseThrow();
    return new ImportService.UndoOutcome.Undone(now, back.orders, removed.orders, kept, back.codes);
  }

  private static List<Row> begin(Db db, String id, String actor) {
    List<Row> found = db.query(PostgresImports.LOCKED, id);
    boolean undoable =
        !found.isEmpty()
            && !found.getFirst().getBoolean("dry_run")
            && PostgresImports.job(found.getFirst()).state() != ImportJob.State.RUNNING;
    if (undoable) {
      db.update(BEGIN, id, actor);
    }
    return found;
  }

  private static List<Row> putBack(Db db, String id, String[] page, Progress progress) {
    List<Row> rows = db.query(PUT_BACK, id, page[0], page[1], MAX_BATCH_SIZE);
    OrderCodes.Followed followed =
        OrderCodes.follow(
            db,
            rows.stream().map(row -> row.getString(0)).toArray(String[]::new),
            rows.stream().map(row -> row.getString(1)).toArray(String[]::new));
    progress.codes =
        progress.codes.plus(new ImportJob.Codes(followed.revoked(), followed.restored(), 0));
    return rows;
  }

  /// A step through the orders after the given platform and number.
  private interface Step {
    List<Row> run(Db db, String[] page);
  }

  /// How far it has come.
  private static final class Progress {
    private String[] page = {"", ""};
    private long orders;
    private ImportJob.Codes codes = ImportJob.Codes.NONE;

    void rewind() {
      page = new String[] {"", ""};
    }
  }

  /// Goes through all orders once; whether there was any.
  private boolean pass(Progress progress, Step step) {
    long before = progress.orders;
    List<Row> rows;
    do {
      rows = database.tx(db -> step.run(db, progress.page));
      progress.orders += rows.size();
      if (!rows.isEmpty()) {
        progress.page = new String[] {rows.getLast().getString(0), rows.getLast().getString(1)};
      }
    } while (rows.size() == MAX_BATCH_SIZE);
    return progress.orders > before;
  }
}
