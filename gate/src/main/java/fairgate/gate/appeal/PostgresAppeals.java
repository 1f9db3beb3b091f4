package fairgate.gate.appeal;

import fairgate.gate.appeal.Appeal.Filer;
import fairgate.gate.appeal.Appeal.Grade;
import fairgate.gate.appeal.Appeal.Matter;
import fairgate.gate.appeal.Appeal.Ruling;
import fairgate.kernel.KeySeal.Sealed;
import fairgate.kernel.ProductId;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/// The tables of appeals. Times come from the callers' clock. Blocks.
final class PostgresAppeals {
  private static final String COLUMNS =
      """
      id, matter, decision, code, rules, rule_version, product_id, ban_id, ref, refused_at,
        filed_at, device, account, network, same_browser, same_network, on_sale, due_at,
        state, grade, reason, answer, reviewer, decided_at, code_hash, sealed_under, sealed
      """;
  private static final String FILE =
      """
      INSERT INTO appeals (matter, open_key, decision, code, rules, rule_version, product_id, ban_id,
        ref, refused_at, filed_at, device, account, network, same_browser, same_network,
        sealed_under, sealed, code_hash, on_sale, due_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
        $20, $21)
      ON CONFLICT DO NOTHING RETURNING
      """
          + COLUMNS;
  private static final String LOCK_DECISION =
      "SELECT pg_advisory_xact_lock(hashtextextended($1, 165))";
  private static final String OPEN_TO_OTHERS =
      """
      SELECT count(*) < $2 AND NOT coalesce(
        bool_or(coalesce(same_browser, same_network, true)), false) AS open
      FROM appeals WHERE decision = $1
      """;
  private static final String OF_PERSON =
      "SELECT "
          + COLUMNS
          + """
          FROM appeals
          WHERE matter = $1 OR (open_key = $2 AND state = 'open') OR decision = $3
          ORDER BY (matter = $1) DESC, (open_key = $2 AND state = 'open') DESC, id LIMIT 100
          """;
  private static final String ONE = "SELECT " + COLUMNS + " FROM appeals WHERE id = $1";
  private static final String LOCKED = ONE + " FOR UPDATE";
  private static final String DECIDE =
      """
      UPDATE appeals SET state = $2, grade = $3, reason = $4, answer = $5, reviewer = $6,
        decided_at = $7
      WHERE id = $1 RETURNING
      """
          + COLUMNS;
  private static final String MATCHING =
      """
      FROM appeals WHERE ($1::text IS NULL OR state = $1)
        AND (NOT $2::boolean OR (state = 'open' AND due_at <= $3))
        AND ($4::text IS NULL OR product_id = $4) AND ($5::text IS NULL OR code = $5)
        AND ($6::text IS NULL OR $6 = ANY (rules))
      """;
  private static final String QUEUE =
      "SELECT "
          + COLUMNS
          + MATCHING
          + " AND ($7::bigint = 0 OR (due_at, id) > ($8, $7)) ORDER BY due_at, id LIMIT $9";
  private static final String NEWEST =
      "SELECT "
          + COLUMNS
          + MATCHING
          + " AND ($7::bigint = 0 OR id < $7) AND $8::timestamptz IS NOT NULL ORDER BY id DESC"
          + " LIMIT $9";

  /// Appeals that are being decided are left to the next call: a decision also locks those of
  /// others, so waiting for it could be a deadlock.
  private static final String SALE_OPENED =
      """
      WITH changed AS (SELECT id FROM appeals
        WHERE state = 'open' AND NOT on_sale
          AND (product_id = ANY ($2::text[]) OR (product_id IS NULL AND cardinality($2::text[]) > 0))
        FOR UPDATE SKIP LOCKED)
      UPDATE appeals SET on_sale = true, due_at = least(due_at, $1)
      FROM changed WHERE appeals.id = changed.id
      """;

  private static final String SALE_CLOSED =
      """
      WITH changed AS (SELECT id FROM appeals
        WHERE state = 'open' AND on_sale
          AND NOT (product_id = ANY ($2::text[])
            OR (product_id IS NULL AND cardinality($2::text[]) > 0))
        FOR UPDATE SKIP LOCKED)
      UPDATE appeals SET on_sale = false, due_at = filed_at + $1 * interval '1 millisecond'
      FROM changed WHERE appeals.id = changed.id
      """;

  private static final String COUNTS =
      """
      SELECT count(*) AS open, count(*) FILTER (WHERE due_at <= $1) AS overdue
      FROM appeals WHERE state = 'open'
      """;

  /// Closes open appeals of others than the refused people. Those against a ban that stays in force
  /// are about their own exclusion.
  private static final String CLOSE_OTHERS =
      """
      WITH others AS (
        SELECT a.id, g.id AS granted, g.reviewer FROM appeals g JOIN appeals a USING (decision)
        WHERE g.state = 'granted' AND coalesce(g.same_browser, g.same_network, true)
          AND g.decided_at >= $1 AND ($2::text IS NULL OR decision = $2)
          AND a.state = 'open' AND NOT coalesce(a.same_browser, a.same_network, true)
          AND (a.ban_id IS NULL OR $3)
        ORDER BY a.id FOR UPDATE OF a)
      UPDATE appeals SET state = 'closed', reason = 'appeal ' || others.granted || ' was granted',
        answer = '', reviewer = others.reviewer, decided_at = $4
      FROM others WHERE appeals.id = others.id
      """;

  private static final String ERASE =
      """
      UPDATE appeals SET sealed = NULL, sealed_under = NULL
      WHERE decided_at < $1 AND sealed IS NOT NULL
      """;
  private static final String FORGET = "DELETE FROM appeals WHERE decided_at < $1";

  private final PostgresDatabase database;
  private final DecisionLock decisions = new DecisionLock();

  PostgresAppeals(PostgresDatabase database) {
    this.database = database;
  }

  /// A new appeal.
  ///
  /// @param key keyed hash of the decision
  /// @param openKey keyed hash of code, sale and person
  /// @param receipt keyed hash of the receipt
  record Draft(
      String key,
      String openKey,
      Matter matter,
      Filer filer,
      Sealed letter,
      String receipt,
      Deadline deadline) {}

  /// When an appeal was filed and must be decided, ms.
  record Deadline(long filedAt, boolean onSale, long dueAt) {}

  /// An appeal with what only the service needs.
  ///
  /// @param key what the letter is bound to
  /// @param receipt keyed hash of the receipt
  /// @param letter null when it has been erased
  record Stored(Appeal appeal, String key, String receipt, @Nullable Sealed letter) {}

  record Counts(long open, long overdue) {}

  /// Empty when the decision or the person has an appeal already, or others may not appeal.
  Optional<Stored> file(Draft draft) {
    Matter matter = draft.matter();
    Filer filer = draft.filer();
    ProductId product = matter.product();
    Deadline deadline = draft.deadline();
    return database
        .tx(
            db ->
                !filer.isRefused() && !isOpenToOthers(db, matter.decision())
                    ? List.<Row>of()
                    : db.query(
                        FILE,
                        draft.key(),
                        draft.openKey(),
                        matter.decision(),
                        matter.code(),
                        matter.rules().toArray(String[]::new),
                        matter.version(),
                        product == null ? null : product.value(),
                        matter.ban() == 0 ? null : matter.ban(),
                        matter.ref().isEmpty() ? null : matter.ref(),
                        time(matter.at()),
                        time(deadline.filedAt()),
                        filer.device(),
                        filer.account(),
                        filer.network(),
                        filer.sameBrowser(),
                        filer.sameNetwork(),
                        draft.letter().under(),
                        draft.letter().box(),
                        draft.receipt(),
                        deadline.onSale(),
                        time(deadline.dueAt())))
        .stream()
        .findFirst()
        .map(PostgresAppeals::stored);
  }

  /// Whether somebody else may appeal against a decision: while the refused person has not, and few
  /// others have. It may be the refused person, who has lost the cookie. Others wait until the end
  /// of the transaction.
  private static boolean isOpenToOthers(Db db, String decision) {
    var _ = db.query(LOCK_DECISION, decision);
    Row row = db.query(OPEN_TO_OTHERS, decision, (long) AppealService.MAX_OTHERS).getFirst();
    return row.getBoolean("open");
  }

  /// The person's appeal in this matter, then the person's open appeal in a similar one, then those
  /// of others against the same decision; at most 100.
  ///
  /// @param decision empty to leave out those of others
  List<Stored> find(String key, String openKey, String decision) {
    return database.list(OF_PERSON, PostgresAppeals::stored, key, openKey, decision);
  }

  Optional<Stored> find(long id) {
    return database.reading(db -> first(db.query(ONE, id)));
  }

  /// Runs a ruling in one transaction that holds the lock of the appeal's row, so no other node
  /// rules on it meanwhile.
  <T> T locked(long id, BiFunction<Db, Optional<Stored>, T> work) {
    return decisions.run(() -> database.tx(db -> work.apply(db, first(db.query(LOCKED, id)))));
  }

  Appeal decide(Db db, long id, Ruling ruling) {
    Grade grade = ruling.grade();
    return stored(
            db.query(
                    DECIDE,
                    id,
                    ruling.state().word(),
                    grade == null ? null : grade.word(),
                    ruling.reason(),
                    ruling.answer(),
                    ruling.reviewer(),
                    time(ruling.at()))
                .getFirst())
        .appeal();
  }

  /// Closes the open appeals of others against the decision of a granted appeal.
  ///
  /// @param lifted whether the ban, if there is one, was lifted for everybody
  void closeOthers(Db db, Appeal granted, boolean lifted, long now) {
    int _ = db.update(CLOSE_OTHERS, time(now), granted.matter().decision(), lifted, time(now));
  }

  /// Closes those that arrived while the refused person's was granted.
  ///
  /// @param since the time of the oldest decision to look at
  void closeLate(long since, long now) {
    int _ = database.update(CLOSE_OTHERS, time(since), null, false, time(now));
  }

  List<Appeal> list(Appeal.Query query, long now) {
    Appeal.State state = query.state();
    ProductId product = query.product();
    return database.list(
        query.isQueue() ? QUEUE : NEWEST,
        row -> stored(row).appeal(),
        state == null ? null : state.word(),
        query.overdue(),
        time(now),
        product == null ? null : product.value(),
        query.code(),
        query.rule(),
        query.after(),
        time(query.afterDue()),
        query.limit());
  }

  /// Applies the deadlines of sales that have opened or closed. Appeals that are being decided get
  /// theirs with the next call.
  ///
  /// @param dueOnSale the deadline of appeals in sales that have just opened, ms
  /// @param life the time for appeals of other sales, ms
  void adjust(List<String> openSales, long dueOnSale, long life) {
    String[] products = openSales.toArray(String[]::new);
    int _ =
        database.tx(
            db ->
                db.update(SALE_OPENED, time(dueOnSale), products)
                    + db.update(SALE_CLOSED, (double) life, products));
  }

  Counts counts(long now) {
    Row row = database.reading(db -> db.query(COUNTS, time(now)).getFirst());
    return new Counts(row.getLong("open"), row.getLong("overdue"));
  }

  /// Erases the letters, and later the appeals, that were decided before these times.
  void forget(long letters, long appeals) {
    int _ = database.tx(db -> db.update(ERASE, time(letters)) + db.update(FORGET, time(appeals)));
  }

  private static Optional<Stored> first(List<Row> rows) {
    return rows.stream().findFirst().map(PostgresAppeals::stored);
  }

  private static OffsetDateTime time(long millis) {
    return Instant.ofEpochMilli(millis).atOffset(ZoneOffset.UTC);
  }

  private static long millis(Row row, String column) {
    OffsetDateTime time = row.getOffsetDateTime(column);
    return time == null ? 0 : time.toInstant().toEpochMilli();
  }

  private static long number(Row row, String column) {
    Long value = row.getLong(column);
    return value == null ? 0 : value;
  }

  private static Stored stored(Row row) {
    String product = row.getString("product_id");
    String ref = row.getString("ref");
    Matter matter =
        new Matter(
            row.getString("decision"),
            row.getString("code"),
            Arrays.asList(row.getArrayOfStrings("rules")),
            row.getString("rule_version"),
            product == null ? null : new ProductId(product),
            number(row, "ban_id"),
            ref == null ? "" : ref,
            millis(row, "refused_at"));
    Filer filer =
        new Filer(
            row.getString("device"),
            row.getString("account"),
            row.getString("network"),
            row.getBoolean("same_browser"),
            row.getBoolean("same_network"));
    Appeal appeal =
        new Appeal(
            row.getLong("id"),
            matter,
            filer,
            millis(row, "filed_at"),
            row.getBoolean("on_sale"),
            millis(row, "due_at"),
            ruling(row));
    String under = row.getString("sealed_under");
    return new Stored(
        appeal,
        row.getString("matter"),
        row.getString("code_hash"),
        under == null ? null : new Sealed(under, row.getString("sealed")));
  }

  private static @Nullable Ruling ruling(Row row) {
    Appeal.State state = Appeal.State.valueOf(row.getString("state").toUpperCase(Locale.ROOT));
    if (state == Appeal.State.OPEN) {
      return null;
    }
    String grade = row.getString("grade");
    return new Ruling(
        state,
        // Earlier versions had more grades.
        grade == null ? null : Grade.named(grade).orElse(null),
        row.getString("reason"),
        row.getString("answer"),
        row.getString("reviewer"),
        millis(row, "decided_at"));
  }
}
