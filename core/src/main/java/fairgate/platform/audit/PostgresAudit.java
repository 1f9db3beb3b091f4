package fairgate.platform.audit;

import fairgate.kernel.KeyRing;
import fairgate.platform.audit.AuditLog.ClosedDay;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Appends to the tables `audit_days` and `audit_log`. Blocks.
final class PostgresAudit {
  private static final String LOCK = "SELECT pg_advisory_xact_lock(4701772)";

  /// Read while holding the lock, so the newest day cannot change.
  private static final String NEWEST =
      """
      SELECT d.day::text, d.key_id, d.events, d.head, n.today::text,
             coalesce(n.today > d.day, true) AS begins
      FROM (SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date AS today) n
      LEFT JOIN LATERAL (SELECT * FROM audit_days ORDER BY day DESC LIMIT 1) d ON true
      """;

  private static final String BEGIN_DAY =
      """
      INSERT INTO audit_days (day, key_id, first, head) VALUES ($1::text::date, $2, $3, $3)
      """;
  private static final String INSERT =
      """
      INSERT INTO audit_log (day, seq, at, kind, content, hash, events)
      SELECT $1::text::date, seq, to_timestamp(at / 1000.0), kind, content, hash, events
      FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::int[])
        AS t (seq, at, kind, content, hash, events)
      """;
  private static final String MOVE_HEAD =
      "UPDATE audit_days SET events = $2, head = $3 WHERE day = $1::text::date";
  private static final String TAKE_BATCH =
      """
      INSERT INTO audit_writers (writer, batch) VALUES ($1, $2)
      ON CONFLICT (writer) DO UPDATE SET batch = EXCLUDED.batch, seen_at = now()
      WHERE audit_writers.batch < EXCLUDED.batch
      """;

  private final PostgresDatabase database;
  private final KeyRing keys;
  private final AuditChain chain;

  PostgresAudit(PostgresDatabase database, KeyRing keys) {
    this.database = database;
    this.keys = keys;
    this.chain = new AuditChain(keys);
  }

  /// A row ready to be written.
  ///
  /// @param at time of its first event, ms
  /// @param content one line for each event
  record Draft(long at, String kind, String content, int events) {}

  private record Day(String day, String keyId, long events, String head) {}

  /// Appends a batch once; repeats of the batch number have no effect.
  ///
  /// @param writer identifies the writer; its batch numbers increase
  /// @return the day that ended before this batch; null when none did
  @Nullable ClosedDay append(String writer, long batch, List<Draft> drafts) {
    return database.tx(db -> db.update(TAKE_BATCH, writer, batch) == 0 ? null : append(db, drafts));
  }

  /// Appends events; a repeat appends them again.
  @Nullable ClosedDay append(List<Draft> drafts) {
    return database.tx(db -> append(db, drafts));
  }

  private @Nullable ClosedDay append(Db db, List<Draft> drafts) {
    var _ = db.query(LOCK);
    Row newest = db.query(NEWEST).getFirst();
    String last = newest.getString("day");
    ClosedDay closed = null;
    Day day;
    if (newest.getBoolean("begins")) {
      String before = last == null ? AuditChain.ORIGIN : newest.getString("head");
      day = new Day(newest.getString("today"), keys.current(), 0, before);
      db.update(BEGIN_DAY, day.day(), day.keyId(), before);
      closed = last == null ? null : new ClosedDay(last, newest.getLong("events"), before);
    } else {
      day =
          new Day(
              last, newest.getString("key_id"), newest.getLong("events"), newest.getString("head"));
    }
    write(db, day, drafts);
    return closed;
  }

  private void write(Db db, Day day, List<Draft> drafts) {
    int size = drafts.size();
    Long[] seqs = new Long[size];
    Long[] ats = new Long[size];
    String[] kinds = new String[size];
    String[] contents = new String[size];
    String[] hashes = new String[size];
    Integer[] events = new Integer[size];
    String head = day.head();
    long written = day.events();
    for (int i = 0; i < size; i++) {
      Draft draft = drafts.get(i);
      seqs[i] = written + 1;
      ats[i] = draft.at();
      kinds[i] = draft.kind();
      contents[i] = draft.content();
      events[i] = draft.events();
      written += draft.events();
      AuditChain.Place place = new AuditChain.Place(day.day(), seqs[i], draft.at(), draft.kind());
      head = chain.hash(day.keyId(), head, place, AuditChain.digest(draft.content()));
      hashes[i] = head;
    }
    db.update(INSERT, day.day(), seqs, ats, kinds, contents, hashes, events);
    db.update(MOVE_HEAD, day.day(), written, head);
  }
}
