package fairgate.redeem.transfer;

import fairgate.platform.json.JsonText;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Imports and their refused rows, in PostgreSQL.
record PostgresImports(PostgresDatabase database) {
  /// A node without a commit for this time is presumed dead. If it is alive, it stops at its next
  /// batch, because the import has a new run number.
  private static final String STALE = "interval '5 seconds'";

  private static final String SELECT =
      "SELECT *, earlier::text AS earlier_runs, updated_at < now() - "
          + STALE
          + " AS stale FROM order_imports ";

  /// One import, held still.
  static final String LOCKED = SELECT + "WHERE id = $1 FOR UPDATE";

  private static final String INSERT =
      """
      INSERT INTO order_imports
        (id, file_name, dry_run, encoding, header, state, runner, rows_total, actor)
      VALUES ($1, $2, $3, $4, $5::text::jsonb, 'running', $6, $7, $8)
      ON CONFLICT (id) DO NOTHING\
      """;

  private static final String TAKE_OVER =
      """
      UPDATE order_imports
      SET state = 'running', runner = $2, actor = $3, updated_at = now(), finished_at = NULL
      WHERE id = $1\
      """;

  /// Begins again, and keeps the report of the run that ended: of the first run and of the latest
  /// ones.
  private static final String ANEW =
      """
      UPDATE order_imports
      SET earlier =
            CASE WHEN jsonb_array_length(earlier) < 20 THEN earlier ELSE earlier - 1 END
            || jsonb_build_object(
              'run', run, 'state', state, 'actor', actor, 'started_at', started_at,
              'finished_at', finished_at, 'undone_at', undone_at, 'rows_done', rows_done,
              'added', added, 'updated', updated, 'unchanged', unchanged,
              'duplicates', duplicates, 'refused', refused, 'blank', blank),
          run = run + 1, rows_done = 0, added = 0, updated = 0, unchanged = 0, duplicates = 0,
          refused = 0, blank = 0, codes_revoked = 0, codes_restored = 0, codes_in_use = 0,
          started_at = now(), undone_at = NULL, undone_by = NULL
      WHERE id = $1\
      """;

  private static final String ADVANCE =
      """
      UPDATE order_imports
      SET rows_done = rows_done + $4, added = added + $5, updated = updated + $6,
          unchanged = unchanged + $7, duplicates = duplicates + $8, refused = refused + $9,
          blank = blank + $10, codes_revoked = codes_revoked + $11,
          codes_restored = codes_restored + $12, codes_in_use = codes_in_use + $13,
          changed_at = CASE WHEN $6 > 0 AND NOT dry_run THEN now() ELSE changed_at END,
          updated_at = now()
      WHERE id = $1 AND runner = $2 AND rows_done = $3 AND state = 'running'\
      """;

  /// The data of a file is as recent as the file says, or as its newest order. An import is meant
  /// to bring the data up to date, so its data is never older than the stored data.
  private static final String DATE =
      """
      UPDATE order_imports SET as_of = CASE WHEN $3::boolean THEN least($2::timestamptz, now()) ELSE greatest(
        least($2::timestamptz, now()),
        (SELECT max(as_of) FROM order_imports
         WHERE id <> $1 AND NOT dry_run AND undone_at IS NULL)) END
      WHERE id = $1\
      """;

  /// Whether another import has changed known orders since this one began.
  private static final String OVERTAKEN =
      """
      SELECT EXISTS (
        SELECT FROM order_imports o JOIN order_imports mine ON mine.id = $1
        WHERE o.id <> $1 AND o.changed_at >= mine.started_at)\
      """;

  /// Imports can be undone for so long.
  private static final String FORGET =
      """
      DELETE FROM order_import_changes c USING order_imports i
      WHERE i.id = c.import_id AND i.started_at < now() - interval '90 days'\
      """;

  private static final String END =
      """
      UPDATE order_imports SET state = $3, updated_at = now(), finished_at = now()
      WHERE id = $1 AND runner = $2 AND state = 'running'\
      """;

  private static final String NOTE =
      """
      INSERT INTO order_import_errors (import_id, row_no, problem, detail)
      SELECT $1, e.row_no, e.problem, e.detail::jsonb
      FROM unnest($2::bigint[], $3::text[], $4::text[]) AS e (row_no, problem, detail)\
      """;

  private static final String ERRORS =
      """
      SELECT row_no, problem, detail::text FROM order_import_errors
      WHERE import_id = $1 AND row_no > $2 ORDER BY row_no LIMIT $3\
      """;

  /// A run of an import.
  ///
  /// @param run the number of the run
  /// @param asOf the time up to which the file has orders; null if unknown
  record Turn(ImportJob job, int run, @Nullable Instant asOf) {
    /// The mark of orders written by this run.
    String mark() {
      return job.id() + "." + run;
    }
  }

  /// The result of asking for a run.
  ///
  /// @param mine whether this node has it now
  record StartResult(Turn turn, boolean mine) {}

  /// The age of a file.
  ///
  /// @param at its newest order, or the given time; null if there is neither
  /// @param said whether the time was given
  record ExportTime(@Nullable Instant at, boolean said) {}

  /// An import that is new, stands still, ended with rows refused, was undone, or was overtaken by
  /// another one is this runner's from now on.
  StartResult ask(ImportJob fresh, List<String> header, ExportTime age, String runner) {
    return database.tx(
        db -> {
          int born =
              db.update(
                  INSERT,
                  fresh.id(),
                  fresh.fileName(),
                  fresh.dryRun(),
                  fresh.encoding(),
                  array(header),
                  runner,
                  fresh.rowsTotal(),
                  fresh.actor());
          Turn there = turn(db, fresh.id(), age, " FOR UPDATE");
          if (born > 0) {
            date(db, fresh.id(), age);
            return new StartResult(there, true);
          }
          boolean atIt = there.job().state() == ImportJob.State.RUNNING;
          boolean undone = there.job().undoneAt() != null;
          boolean over = there.job().state() == ImportJob.State.DONE || undone;
          boolean stands =
              over && !undone && there.job().counts().refused() == 0 && !fresh.dryRun();
          if (atIt || (stands && !overtaken(db, fresh.id()))) {
            return new StartResult(there, false);
          }
          if (over) {
            db.update(ANEW, fresh.id());
            db.update("DELETE FROM order_import_errors WHERE import_id = $1", fresh.id());
          }
          db.update(TAKE_OVER, fresh.id(), runner, fresh.actor());
          date(db, fresh.id(), age);
          return new StartResult(turn(db, fresh.id(), age, ""), true);
        });
  }

  private static void date(Db db, String id, ExportTime age) {
    Instant at = age.at();
    db.update(DATE, id, at == null ? null : at.atOffset(ZoneOffset.UTC), age.said());
  }

  private static boolean overtaken(Db db, String id) {
    return db.query(OVERTAKEN, id).getFirst().getBoolean(0);
  }

  /// Notes, in the transaction that wrote the rows, that they are done. False when another runner
  /// is at it: then nothing of the transaction may stay.
  static boolean advance(Db db, Turn turn, String runner, long done, BatchResult tally) {
    ImportJob.RowCounts counts = tally.counts();
    ImportJob.Codes codes = tally.codes();
    List<BatchResult.Refused> refused = tally.refused();
    if (!refused.isEmpty()) {
      db.update(
          NOTE,
          turn.job().id(),
          refused.stream().map(BatchResult.Refused::number).toArray(Long[]::new),
          texts(refused, each -> each.problem().key()),
          texts(refused, PostgresImports::detail));
    }
    return db.update(
            ADVANCE,
            turn.job().id(),
            runner,
            done,
            tally.rows(),
            counts.added(),
            counts.updated(),
            counts.unchanged(),
            counts.duplicates(),
            counts.refused(),
            counts.blank(),
            codes.revoked(),
            codes.restored(),
            codes.inUse())
        == 1;
  }

  /// Notes the end of an import that is still this runner's.
  void end(String id, String runner, ImportJob.State state) {
    int _ =
        database.tx(
            db -> {
              db.update("DELETE FROM order_import_rehearsals WHERE import_id = $1", id);
              db.update(FORGET);
              return db.update(END, id, runner, state.word());
            });
  }

  Optional<ImportJob> find(String id) {
    return database.reading(
        db ->
            db.query(SELECT + "WHERE id = $1", id).stream().findFirst().map(PostgresImports::job));
  }

  List<ImportJob> newest(int limit) {
    return database.reading(
        db ->
            db.query(SELECT + "ORDER BY started_at DESC LIMIT $1", limit).stream()
                .map(PostgresImports::job)
                .toList());
  }

  String header(String id) {
    return database.reading(
        db ->
            db.query("SELECT header::text FROM order_imports WHERE id = $1", id)
                .getFirst()
                .getString(0));
  }

  record RejectedRow(long number, String problem, String detail) {}

  /// So many refused rows behind the row of a number.
  List<RejectedRow> errors(String id, long after, int limit) {
    return database.reading(
        db ->
            db.query(ERRORS, id, after, limit).stream()
                .map(row -> new RejectedRow(row.getLong(0), row.getString(1), row.getString(2)))
                .toList());
  }

  private static Turn turn(Db db, String id, ExportTime age, String lock) {
    Row row = db.query(SELECT + "WHERE id = $1" + lock, id).getFirst();
    return new Turn(job(row), row.getInteger("run"), age.at());
  }

  static ImportJob job(Row row) {
    return new ImportJob(
        row.getString("id"),
        row.getString("file_name"),
        row.getBoolean("dry_run"),
        row.getString("encoding"),
        state(row),
        row.getLong("rows_total"),
        row.getLong("rows_done"),
        new ImportJob.RowCounts(
            row.getLong("added"),
            row.getLong("updated"),
            row.getLong("unchanged"),
            row.getLong("duplicates"),
            row.getLong("refused"),
            row.getLong("blank")),
        new ImportJob.Codes(
            row.getLong("codes_revoked"),
            row.getLong("codes_restored"),
            row.getLong("codes_in_use")),
        row.getString("actor"),
        row.getOffsetDateTime("started_at").toInstant(),
        instant(row.getOffsetDateTime("finished_at")),
        instant(row.getOffsetDateTime("undone_at")),
        row.getInteger("run"),
        row.getString("earlier_runs"));
  }

  private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
    return time == null ? null : time.toInstant();
  }

  private static ImportJob.State state(Row row) {
    return switch (row.getString("state")) {
      case "done" -> ImportJob.State.DONE;
      case "failed" -> ImportJob.State.FAILED;
      default -> row.getBoolean("stale") ? ImportJob.State.INTERRUPTED : ImportJob.State.RUNNING;
    };
  }

  private static String detail(BatchResult.Refused refused) {
    return JsonText.object()
        .putAny("arguments", refused.problem().arguments())
        .putAny("cells", refused.cells())
        .toString();
  }

  private static String array(List<String> texts) {
    return JsonText.object().putAny("cells", texts).toString();
  }

  private static <T> Object texts(List<T> list, Function<T, String> of) {
    Object[] all = list.stream().map(of).toArray();
    return Arrays.copyOf(all, all.length, String[].class);
  }
}
