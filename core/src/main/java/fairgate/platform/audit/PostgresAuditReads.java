package fairgate.platform.audit;

import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads the tables `audit_days` and `audit_log`, and deletes expired data. Blocks.
final class PostgresAuditReads {
  private static final String SEARCH =
      """
      SELECT day::text, seq, (extract(epoch FROM at) * 1000)::bigint AS at, kind, content, digest, hash
      FROM audit_log
      WHERE day BETWEEN (to_timestamp($1 / 1000.0) AT TIME ZONE 'UTC')::date
                    AND (to_timestamp($2 / 1000.0) AT TIME ZONE 'UTC')::date + 1
        AND at >= to_timestamp($1 / 1000.0) AND at < to_timestamp($2 / 1000.0)
        AND ($3::text IS NULL OR kind = $3)
        AND (cardinality($4::text[]) = 0 OR
             (SELECT bool_and(position(f IN content) > 0) FROM unnest($4::text[]) f))
        AND ($5::text IS NULL OR (day, seq) < ($5::text::date, $6::bigint))
      ORDER BY day DESC, seq DESC LIMIT $7
      """;

  /// The condition repeats the expression of the index `audit_log_by_order`.
  private static final String OF_ORDER =
      """
      SELECT day::text, seq, (extract(epoch FROM at) * 1000)::bigint AS at, kind, content, digest, hash
      FROM audit_log
      WHERE kind IN ('purchase', 'admin') AND content IS NOT NULL
        AND substring(content from '"order":"([^"]+)"') = $1
      ORDER BY day DESC, seq DESC LIMIT $2
      """;

  /// Counts the newest events of a time by a member of their content.
  private static final String TALLY =
      """
      WITH recent AS MATERIALIZED (
        SELECT kind, at, content FROM audit_log
        WHERE day BETWEEN (to_timestamp($1 / 1000.0) AT TIME ZONE 'UTC')::date
                      AND (to_timestamp($2 / 1000.0) AT TIME ZONE 'UTC')::date + 1
          AND at >= to_timestamp($1 / 1000.0) AND at < to_timestamp($2 / 1000.0)
          AND kind IN ('join', 'purchase', 'refusal') AND content IS NOT NULL
        ORDER BY day DESC, seq DESC LIMIT $3),
      named AS (
        SELECT substring(content from '"' || $4::text || '":"([^"]+)"') AS name, kind, at,
          coalesce(substring(content from '"weight":([0-9]+)')::bigint, 1) AS weight,
          substring(content from '"decision_id":"([^"]+)"') AS decision
        FROM recent WHERE $5::text IS NULL OR kind = $5)
      SELECT name, count(*) FILTER (WHERE kind = 'join') AS joins,
        count(*) FILTER (WHERE kind = 'purchase') AS purchases,
        coalesce(sum(weight) FILTER (WHERE kind = 'refusal'), 0)::bigint AS refusals,
        (extract(epoch FROM max(at)) * 1000)::bigint AS last,
        (array_agg(decision ORDER BY at DESC) FILTER (WHERE decision IS NOT NULL))[1] AS decision
      FROM named WHERE name IS NOT NULL GROUP BY name
      ORDER BY CASE $6::text WHEN 'purchases' THEN count(*) FILTER (WHERE kind = 'purchase')
        WHEN 'joins' THEN count(*) FILTER (WHERE kind = 'join')
        ELSE coalesce(sum(weight) FILTER (WHERE kind = 'refusal'), 0) END DESC, name
      LIMIT $7
      """;

  private static final String DAYS =
      """
      SELECT day::text, key_id, events, first, head, dropped,
             (SELECT count(*) FROM audit_log l WHERE l.day = d.day) AS present
      FROM audit_days d ORDER BY day
      """;

  /// A day is closed ten minutes after its end, when no transaction that began on it is under way.
  private static final String CLOSED =
      """
      SELECT day::text, events, head FROM audit_days
      WHERE day < (now() AT TIME ZONE 'UTC' - interval '10 minutes')::date
      ORDER BY day DESC LIMIT $1
      """;

  private static final String ROWS =
      """
      SELECT day::text, seq, (extract(epoch FROM at) * 1000)::bigint AS at, kind, content, digest, hash
      FROM audit_log WHERE day = $1::text::date AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT 2000
      """;
  private static final String STRAYS =
      """
      SELECT day::text, count(*) AS events FROM audit_log l
      WHERE NOT EXISTS (SELECT FROM audit_days d WHERE d.day = l.day) GROUP BY day ORDER BY day
      """;
  private static final String DUE =
      """
      SELECT day::text FROM audit_days
      WHERE NOT dropped AND NOT $1 = ANY (erased)
        AND day < (now() AT TIME ZONE 'UTC')::date - $2::int
      ORDER BY day LIMIT 1
      """;
  private static final String ERASE =
      """
      UPDATE audit_log SET digest = encode(sha256(convert_to(content, 'UTF8')), 'hex'), content = NULL
      WHERE day = $1::text::date AND kind = $2 AND content IS NOT NULL AND seq IN
        (SELECT seq FROM audit_log WHERE day = $1::text::date AND kind = $2 AND content IS NOT NULL
         LIMIT 5000)
      """;
  private static final String ERASED =
      "UPDATE audit_days SET erased = array_append(erased, $2::text) WHERE day = $1::text::date";
  private static final String OLD =
      """
      SELECT day::text FROM audit_days
      WHERE NOT dropped AND day < (now() AT TIME ZONE 'UTC')::date - $1::int ORDER BY day LIMIT 1
      """;
  private static final String ALLOW_DROP = "SELECT set_config('fairgate.audit_drop', $1, true)";
  private static final String DROP =
      """
      DELETE FROM audit_log WHERE day = $1::text::date AND seq IN
        (SELECT seq FROM audit_log WHERE day = $1::text::date LIMIT 5000)
      """;
  private static final String DROPPED =
      "UPDATE audit_days SET dropped = true WHERE day = $1::text::date";
  private static final String FORGET_WRITERS =
      "DELETE FROM audit_writers WHERE seen_at < now() - interval '7 days'";

  private final PostgresDatabase database;

  PostgresAuditReads(PostgresDatabase database) {
    this.database = database;
  }

  /// A day of the chain.
  ///
  /// @param events the number of events written
  /// @param present the number of rows at the time of reading
  record Day(
      String day,
      String keyId,
      long events,
      String first,
      String head,
      boolean dropped,
      long present) {}

  List<AuditEntry> search(
      AuditQuery query, @Nullable String kind, List<String> members, int limit) {
    AuditQuery.Cursor before = query.before();
    return database
        .reading(
            db ->
                db.query(
                    SEARCH,
                    query.from(),
                    query.to(),
                    kind,
                    members.toArray(String[]::new),
                    before == null ? null : before.day(),
                    before == null ? null : before.seq(),
                    limit))
        .stream()
        .map(PostgresAuditReads::entry)
        .toList();
  }

  List<AuditEntry> ofOrder(String order, int limit) {
    return database.reading(db -> db.query(OF_ORDER, order, limit)).stream()
        .map(PostgresAuditReads::entry)
        .toList();
  }

  List<AuditTally.Line> tally(AuditTally tally, int most) {
    AuditTally.By by = tally.by();
    return database
        .reading(
            db ->
                db.query(
                    TALLY,
                    tally.from(),
                    tally.to(),
                    most,
                    by.member(),
                    by == AuditTally.By.REASON ? "refusal" : null,
                    tally.sort().word(),
                    tally.limit()))
        .stream()
        .map(
            row ->
                new AuditTally.Line(
                    row.getString("name"),
                    row.getLong("joins"),
                    row.getLong("purchases"),
                    row.getLong("refusals"),
                    row.getLong("last"),
                    row.getString("decision")))
        .toList();
  }

  /// All days, oldest first.
  List<Day> days() {
    return database.reading(db -> db.query(DAYS)).stream()
        .map(
            row ->
                new Day(
                    row.getString("day"),
                    row.getString("key_id"),
                    row.getLong("events"),
                    row.getString("first"),
                    row.getString("head"),
                    row.getBoolean("dropped"),
                    row.getLong("present")))
        .toList();
  }

  /// The latest days that have ended, newest first.
  List<ClosedDay> closed(int limit) {
    return database.reading(db -> db.query(CLOSED, limit)).stream()
        .map(
            row ->
                new ClosedDay(row.getString("day"), row.getLong("events"), row.getString("head")))
        .toList();
  }

  /// Messages about days that have rows but no entry in `audit_days`.
  List<String> strays() {
    return database.reading(db -> db.query(STRAYS)).stream()
        .map(
            row ->
                row.getString("day") + " is missing and has " + row.getLong("events") + " events")
        .toList();
  }

  /// The next rows of a day after a number, up to the number of events when the day was read: the
  /// log may grow meanwhile.
  List<AuditEntry> rows(Day day, long after) {
    return database.reading(db -> db.query(ROWS, day.day(), after, day.events())).stream()
        .map(PostgresAuditReads::entry)
        .toList();
  }

  /// Erases the contents of a kind for one day older than this number of days; false when there is
  /// none. May run on several nodes at the same time and be resumed.
  boolean eraseOne(String kind, int keptDays) {
    String day = first(DUE, kind, keptDays);
    if (day == null) {
      return false;
    }
    while (database.tx(db -> db.update(ERASE, day, kind)) > 0) {
      // In short transactions until nothing is left.
    }
    int _ = database.tx(db -> db.update(ERASED, day, kind));
    return true;
  }

  /// Deletes the rows of one day older than this number of days; false when there is none.
  boolean dropOne(int keptDays) {
    String day = first(OLD, keptDays);
    if (day == null) {
      return false;
    }
    while (dropSome(day) > 0) {
      // In short transactions until nothing is left.
    }
    int _ = database.tx(db -> db.update(DROPPED, day));
    return true;
  }

  private int dropSome(String day) {
    return database.tx(
        db -> {
          var _ = db.query(ALLOW_DROP, day);
          return db.update(DROP, day);
        });
  }

  void forgetWriters() {
    int _ = database.tx(db -> db.update(FORGET_WRITERS));
  }

  private @Nullable String first(String sql, Object... args) {
    List<Row> rows = database.reading(db -> db.query(sql, args));
    return rows.isEmpty() ? null : rows.getFirst().getString(0);
  }

  private static AuditEntry entry(Row row) {
    return new AuditEntry(
        row.getString("day"),
        row.getLong("seq"),
        row.getLong("at"),
        row.getString("kind"),
        row.getString("content"),
        row.getString("digest"),
        row.getString("hash"));
  }
}
