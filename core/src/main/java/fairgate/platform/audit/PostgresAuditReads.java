package fairgate.platform.audit;

import fairgate.platform.audit.AuditLog.ClosedDay;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// Reads the tables `audit_days` and `audit_log`, and deletes expired data. Blocks.
///
/// A row has one event or, of traffic and purchases, several: one line each, numbered from the
/// row's number on.
record PostgresAuditReads(PostgresDatabase database) {
  /// The time between the first and the last event of a row is at most this.
  static final Duration LONGEST_ROW = Duration.ofSeconds(10);

  private static final int ROWS_PER_PAGE = 500;

  private static final String COLUMNS =
      """
      SELECT day::text, seq, (extract(epoch FROM at) * 1000)::bigint AS at, kind, content, digest,
        hash, events
      """;

  /// The rows that may have a matching event.
  private static final String SEARCH =
      COLUMNS
          + """
          FROM audit_log
          WHERE day BETWEEN (to_timestamp($1 / 1000.0) AT TIME ZONE 'UTC')::date
                        AND (to_timestamp($2 / 1000.0) AT TIME ZONE 'UTC')::date + 1
            AND at >= to_timestamp(($1 - $8) / 1000.0) AND at < to_timestamp($2 / 1000.0)
            AND ($3::text IS NULL OR kind = $3)
            AND (cardinality($4::text[]) = 0 OR
                 (SELECT bool_and(position(f IN content) > 0) FROM unnest($4::text[]) f))
            AND ($5::text IS NULL OR (day, seq) < ($5::text::date, $6::bigint))
          ORDER BY day DESC, seq DESC LIMIT $7
          """;

  /// The condition repeats the expression of the index `audit_log_by_order`.
  private static final String ACTS_ON_ORDER =
      COLUMNS
          + """
          FROM audit_log
          WHERE kind = 'admin' AND content IS NOT NULL
            AND substring(content from '"order":"([^"]+)"') = $1
          ORDER BY day DESC, seq DESC LIMIT $2
          """;

  /// Counts the newest events of a time by a member of their content. The time of an event is that
  /// of its row.
  private static final String TALLY =
      """
      WITH recent AS MATERIALIZED (
        SELECT kind, at, line AS content
        FROM (
          SELECT kind, at, content FROM audit_log
          WHERE day BETWEEN (to_timestamp($1 / 1000.0) AT TIME ZONE 'UTC')::date
                        AND (to_timestamp($2 / 1000.0) AT TIME ZONE 'UTC')::date + 1
            AND at >= to_timestamp($1 / 1000.0) AND at < to_timestamp($2 / 1000.0)
            AND kind IN ('join', 'purchase', 'refusal') AND content IS NOT NULL
          ORDER BY day DESC, seq DESC LIMIT $3) l
        CROSS JOIN LATERAL unnest(string_to_array(content, chr(10))) AS line LIMIT $3),
      named AS (
        SELECT substring(content from '"' || $4::text || '":"([^"]+)"') AS name, kind, at,
          coalesce(substring(content from '"weight":([0-9]+)')::bigint, 1) AS weight,
          substring(content from '"decision_id":"([^"]+)"') AS decision,
          substring(content from '"net":"([^"]+)"') AS net,
          substring(content from '"ua":"([^"]+)"') AS agent,
          CASE WHEN kind = 'purchase' THEN substring(content from '"product":"([^"]+)"') END
            AS product,
          CASE WHEN kind = 'purchase' THEN substring(content from '"quantity":([0-9]+)')::bigint END
            AS units,
          CASE WHEN kind = 'purchase' THEN substring(content from '"amount":([0-9]+)')::bigint END
            AS amount
        FROM recent WHERE $5::text IS NULL OR kind = $5)
      SELECT name, count(*) FILTER (WHERE kind = 'join') AS joins,
        count(*) FILTER (WHERE kind = 'purchase') AS purchases,
        coalesce(sum(weight) FILTER (WHERE kind = 'refusal'), 0)::bigint AS refusals,
        (extract(epoch FROM max(at)) * 1000)::bigint AS last,
        (array_agg(decision ORDER BY at DESC) FILTER (WHERE decision IS NOT NULL))[1] AS decision,
        (array_agg(net ORDER BY at DESC) FILTER (WHERE net IS NOT NULL))[1] AS network,
        count(DISTINCT net) AS networks,
        (array_agg(agent ORDER BY at DESC) FILTER (WHERE agent IS NOT NULL))[1] AS agent,
        coalesce(sum(units), 0)::bigint AS units, coalesce(sum(amount), 0)::bigint AS amount,
        CASE WHEN count(DISTINCT product) = 1 THEN max(product) END AS product
      FROM named WHERE name IS NOT NULL GROUP BY name
      ORDER BY CASE $6::text WHEN 'purchases' THEN count(*) FILTER (WHERE kind = 'purchase')
        WHEN 'joins' THEN count(*) FILTER (WHERE kind = 'join')
        ELSE coalesce(sum(weight) FILTER (WHERE kind = 'refusal'), 0) END DESC, name
      LIMIT $7
      """;

  private static final String DAYS =
      """
      SELECT day::text, key_id, events, first, head, dropped,
             (SELECT coalesce(sum(l.events), 0)::bigint FROM audit_log l WHERE l.day = d.day) AS present
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
      COLUMNS
          + " FROM audit_log WHERE day = $1::text::date AND seq > $2 AND seq <= $3"
          + " ORDER BY seq LIMIT $4";
  private static final String STRAYS =
      """
      SELECT day::text, sum(events)::bigint AS events FROM audit_log l
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

  /// A row of the log.
  ///
  /// @param at time of its first event, ms
  /// @param content a line for each event; null once it was erased
  record Stored(
      String day,
      long seq,
      long at,
      String kind,
      @Nullable String content,
      @Nullable String digest,
      String hash,
      int events) {
    private static final Pattern TIME = Pattern.compile("\\{\"at\":(\\d+),");

    /// The number of lines, which is the number of events unless the row was changed.
    int lines() {
      return content == null ? events : (int) content.lines().count();
    }

    /// The events, oldest first.
    List<AuditLog.Entry> entries() {
      if (content == null || events == 1) {
        return LongStream.range(seq, seq + events).mapToObj(n -> entry(n, at, content)).toList();
      }
      List<AuditLog.Entry> entries = new ArrayList<>(events);
      for (String line : content.split("\n", -1)) {
        Matcher time = TIME.matcher(line);
        long lineAt = time.lookingAt() ? Long.parseLong(time.group(1)) : at;
        entries.add(entry(seq + entries.size(), lineAt, line));
      }
      return entries;
    }

    private AuditLog.Entry entry(long number, long time, @Nullable String line) {
      return new AuditLog.Entry(day, number, time, kind, line, digest, hash);
    }
  }

  /// The events that match, newest first.
  List<AuditLog.Entry> search(AuditLog.Query query, @Nullable String kind, List<String> members) {
    List<AuditLog.Entry> found = new ArrayList<>();
    AuditLog.Query.Cursor before = query.before();
    int pageSize = Math.min(query.limit(), ROWS_PER_PAGE);
    List<Stored> page;
    do {
      page = searchRows(query, kind, members, before, pageSize);
      for (Stored row : page) {
        for (AuditLog.Entry entry : row.entries().reversed()) {
          if (found.size() < query.limit() && matches(entry, query, members)) {
            found.add(entry);
          }
        }
        before = new AuditLog.Query.Cursor(row.day(), row.seq());
      }
    } while (page.size() == pageSize && found.size() < query.limit());
    return found;
  }

  private List<Stored> searchRows(
      AuditLog.Query query,
      @Nullable String kind,
      List<String> members,
      AuditLog.Query.@Nullable Cursor before,
      int limit) {
    return database.list(
        SEARCH,
        PostgresAuditReads::stored,
        query.from(),
        query.to(),
        kind,
        members.toArray(String[]::new),
        before == null ? null : before.day(),
        before == null ? null : before.seq(),
        limit,
        LONGEST_ROW.toMillis());
  }

  /// Whether an event of a row that may match does.
  private static boolean matches(AuditLog.Entry entry, AuditLog.Query query, List<String> members) {
    AuditLog.Query.Cursor before = query.before();
    boolean isBefore =
        before == null || !entry.day().equals(before.day()) || entry.seq() < before.seq();
    String content = entry.content();
    return isBefore
        && entry.at() >= query.from()
        && entry.at() < query.to()
        && (members.isEmpty() || (content != null && members.stream().allMatch(content::contains)));
  }

  /// Operators' acts on an order, newest first.
  List<AuditLog.Entry> actsOn(String order, int limit) {
    return database.rows(ACTS_ON_ORDER, order, limit).stream()
        .map(PostgresAuditReads::stored)
        .flatMap(row -> row.entries().stream())
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
                    row.getString("decision"),
                    new AuditTally.Orders(
                        row.getLong("units"), row.getLong("amount"), row.getString("product")),
                    row.getString("network"),
                    row.getLong("networks"),
                    row.getString("agent")))
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
  List<Stored> rows(Day day, long after) {
    return database.list(
        ROWS, PostgresAuditReads::stored, day.day(), after, day.events(), ROWS_PER_PAGE);
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

  private static Stored stored(Row row) {
    return new Stored(
        row.getString("day"),
        row.getLong("seq"),
        row.getLong("at"),
        row.getString("kind"),
        row.getString("content"),
        row.getString("digest"),
        row.getString("hash"),
        row.getInteger("events"));
  }
}
