package fairgate.gate.policy;

import fairgate.platform.postgres.ChangePoll;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The tables of the policy versions. Changes of the pointer lock its row, so they are made one
/// after the other.
record PostgresPolicies(PostgresDatabase database) {
  private static final String VERSION_COLUMNS =
      """
      version, bundle, sha256, salt, author, coalesce(parent, 0) AS parent, note, guardrails,
        (extract(epoch FROM created_at) * 1000)::bigint AS created
      """;
  private static final String CHANGE = "SELECT change FROM policy_pointer";
  private static final String POINTER =
      """
      SELECT change, coalesce(active, 0) AS active, coalesce(previous, 0) AS previous,
        coalesce(canary, 0) AS canary, canary_run,
        canary_share, canary_goal
      FROM policy_pointer
      """;
  private static final String MOVE =
      """
      UPDATE policy_pointer SET change = $1, active = nullif($2::bigint, 0),
        previous = nullif($3::bigint, 0), canary = nullif($4::bigint, 0), canary_run = $5,
        canary_share = $6, canary_goal = $7
      """;
  private static final String ADD =
      """
      INSERT INTO policies (bundle, sha256, salt, author, parent, note, guardrails)
      VALUES ($1, $2, $3, $4, nullif($5::bigint, 0), $6, $7)
      ON CONFLICT (sha256) DO NOTHING RETURNING
      """
          + VERSION_COLUMNS;
  private static final String BY_HASH =
      "SELECT " + VERSION_COLUMNS + "FROM policies WHERE sha256 = $1";
  private static final String ONE =
      "SELECT " + VERSION_COLUMNS + "FROM policies WHERE version = $1";
  private static final String LIST =
      "SELECT "
          + VERSION_COLUMNS
          + "FROM policies WHERE version < $1 ORDER BY version DESC LIMIT $2";
  private static final String NOTE_STEP =
      "INSERT INTO policy_steps (version, step, actor, detail) VALUES ($1, $2, $3, $4)";
  private static final String STEPS =
      """
      SELECT step, actor, detail, (extract(epoch FROM at) * 1000)::bigint AS at
      FROM policy_steps WHERE version = $1 ORDER BY id DESC LIMIT 200
      """;
  private static final String ALL_STEPS =
      """
      SELECT s.id, s.version, s.step, p.sha256, extract(epoch FROM s.at)::bigint AS at
      FROM policy_steps s JOIN policies p ON p.version = s.version
      WHERE s.id > $1 ORDER BY s.id LIMIT $2
      """;
  private static final String USED =
      """
      SELECT DISTINCT version FROM policy_steps
      WHERE version = ANY($1) AND step IN ('canary', 'activated')
      """;
  private static final String KEEP_BACKTEST =
      """
      INSERT INTO policy_backtests (version, hash, report, actor) VALUES ($1, $2, $3, $4)
      ON CONFLICT (version) DO UPDATE SET hash = EXCLUDED.hash, report = EXCLUDED.report,
        actor = EXCLUDED.actor, at = now()
      """;
  private static final String IS_TESTED =
      """
      SELECT 1 FROM policy_backtests
      WHERE version = $1 AND (report::jsonb #>> '{decisions,all}')::bigint > 0
      """;
  private static final String BACKTEST =
      """
      SELECT hash, report, (report::jsonb #>> '{decisions,all}')::bigint AS judged
      FROM policy_backtests WHERE version = $1
      """;
  private static final String COUNT =
      """
      INSERT INTO policy_counts AS old (run, side, fact, n)
      SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[])
      ON CONFLICT (run, side, fact) DO UPDATE SET n = old.n + EXCLUDED.n
      """;
  private static final String COUNTS =
      "SELECT side, fact, n FROM policy_counts WHERE run = $1 ORDER BY side, fact";
  private static final String SIZE = "SELECT count(*) FROM policies";
  private static final String FORGET_COUNTS =
      """
      DELETE FROM policy_counts USING policy_pointer p
      WHERE run <> p.canary_run
      """;

  record Draft(
      String bundle,
      String sha256,
      String salt,
      String author,
      long parent,
      String note,
      Guardrails guardrails) {}

  /// The latest backtest of a version.
  ///
  /// @param judged the number of decisions
  record StoredBacktest(String hash, String report, long judged) {}

  record Count(long run, String side, String fact, long n) {}

  ChangePoll.Watch watch(Function<Long, Future<Void>> listener) {
    return database.changes().watch(CHANGE, text -> listener.apply(Long.valueOf(text)));
  }

  static PolicyPointer pointer(Db db) {
    return pointer(db.query(POINTER).getFirst());
  }

  /// Runs a change alone: no other change of the pointer runs at the same time on any node.
  <T> T change(BiFunction<Db, PolicyPointer, T> change) {
    return database.tx(
        db -> change.apply(db, pointer(db.query(POINTER + " FOR UPDATE").getFirst())));
  }

  <T extends @Nullable Object> T reading(PostgresDatabase.Work<T> work) {
    return database.reading(work);
  }

  static void move(Db db, PolicyPointer to) {
    db.update(
        MOVE,
        to.change(),
        to.active(),
        to.previous(),
        to.canary(),
        to.canaryRun(),
        to.canaryShare(),
        to.canaryGoal());
  }

  /// Adds a version; empty when one with this content exists.
  static Optional<PolicyVersion> add(Db db, Draft draft) {
    return db.first(
        ADD,
        PostgresPolicies::version,
        draft.bundle(),
        draft.sha256(),
        draft.salt(),
        draft.author(),
        draft.parent(),
        draft.note(),
        draft.guardrails().json().toString());
  }

  static Optional<PolicyVersion> byHash(Db db, String sha256) {
    return db.first(BY_HASH, PostgresPolicies::version, sha256);
  }

  static Optional<PolicyVersion> find(Db db, long version) {
    return db.first(ONE, PostgresPolicies::version, version);
  }

  /// Versions below one, newest first.
  static List<PolicyVersion> list(Db db, long below, int limit) {
    return db.list(LIST, PostgresPolicies::version, below, limit);
  }

  /// Those of the versions that were in use at some time.
  static List<Long> used(Db db, List<PolicyVersion> versions) {
    Long[] ids = versions.stream().map(PolicyVersion::version).toArray(Long[]::new);
    return db.list(USED, row -> row.getLong(0), (Object) ids);
  }

  static void note(Db db, long version, String step, String actor, String detail) {
    db.update(NOTE_STEP, version, step, actor, detail);
  }

  /// The history of a version, newest first.
  static List<PolicyView.Step> steps(Db db, long version) {
    return db.query(STEPS, version).stream()
        .map(
            row ->
                new PolicyView.Step(
                    row.getString("step"),
                    row.getString("actor"),
                    row.getString("detail"),
                    Instant.ofEpochMilli(row.getLong("at"))))
        .toList();
  }

  /// Steps of all versions after an id, oldest first.
  static List<PolicyVersion.Step> stepsAfter(Db db, long id, int limit) {
    return db.query(ALL_STEPS, id, limit).stream()
        .map(
            row ->
                new PolicyVersion.Step(
                    row.getLong("id"),
                    row.getLong("version"),
                    row.getString("step"),
                    row.getString("sha256"),
                    row.getLong("at")))
        .toList();
  }

  static void keepBacktest(Db db, long version, String hash, String report, String actor) {
    db.update(KEEP_BACKTEST, version, hash, report, actor);
  }

  /// Whether the latest backtest of a version has judged at least one decision.
  static boolean isTested(Db db, long version) {
    return !db.query(IS_TESTED, version).isEmpty();
  }

  static Optional<StoredBacktest> backtest(Db db, long version) {
    return db.query(BACKTEST, version).stream()
        .findFirst()
        .map(
            row ->
                new StoredBacktest(
                    row.getString("hash"), row.getString("report"), row.getLong("judged")));
  }

  static void count(Db db, List<Count> counts) {
    db.update(
        COUNT,
        counts.stream().map(Count::run).toArray(Long[]::new),
        counts.stream().map(Count::side).toArray(String[]::new),
        counts.stream().map(Count::fact).toArray(String[]::new),
        counts.stream().map(Count::n).toArray(Long[]::new));
  }

  /// The counts of a run: by side, then by fact.
  static Map<String, Map<String, Long>> counts(Db db, long run) {
    Map<String, Map<String, Long>> sides = new HashMap<>();
    for (Row row : db.query(COUNTS, run)) {
      sides
          .computeIfAbsent(row.getString("side"), _ -> new java.util.TreeMap<>())
          .put(row.getString("fact"), row.getLong("n"));
    }
    return sides;
  }

  static long size(Db db) {
    return db.query(SIZE).getFirst().getLong(0);
  }

  static void forgetCounts(Db db) {
    db.update(FORGET_COUNTS);
  }

  private static PolicyPointer pointer(Row row) {
    return new PolicyPointer(
        row.getLong("change"),
        row.getLong("active"),
        row.getLong("previous"),
        row.getLong("canary"),
        row.getLong("canary_run"),
        row.getInteger("canary_share"),
        row.getInteger("canary_goal"));
  }

  private static PolicyVersion version(Row row) {
    return new PolicyVersion(
        row.getLong("version"),
        row.getString("bundle"),
        row.getString("sha256"),
        row.getString("salt"),
        row.getString("author"),
        row.getLong("parent"),
        row.getString("note"),
        Guardrails.parse(row.getString("guardrails")),
        Instant.ofEpochMilli(row.getLong("created")));
  }
}
