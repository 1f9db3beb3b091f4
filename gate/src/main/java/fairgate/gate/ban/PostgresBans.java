package fairgate.gate.ban;

import fairgate.kernel.BanSubject;
import fairgate.platform.postgres.ChangePoll;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The table `bans`. Every change has a version. A lock makes writers commit in the order of the
/// versions, so a node finds all changes by asking for later versions.
record PostgresBans(PostgresDatabase database) {
  /// The maximum number of entries in one query for changes.
  static final int PAGE = 500;

  private static final String LOCK = "SELECT pg_advisory_xact_lock(4701771)";
  private static final String COLUMNS =
      """
      id, effect, kind, value, reason, actor, version, lifted_by,
        (extract(epoch FROM created_at) * 1000)::bigint AS since,
        (extract(epoch FROM until) * 1000)::bigint AS until_ms,
        coalesce((extract(epoch FROM lifted_at) * 1000)::bigint, 0) AS lifted
      """;
  private static final String LIVE =
      "SELECT "
          + COLUMNS
          + "FROM bans WHERE lifted_at IS NULL AND (until IS NULL OR until > now())"
          + " ORDER BY version DESC LIMIT $1";
  private static final String NEWEST = "SELECT coalesce(max(version), 0) FROM bans";
  private static final String CHANGES =
      "SELECT " + COLUMNS + "FROM bans WHERE version > $1 ORDER BY version LIMIT " + PAGE;
  private static final String END =
      """
      UPDATE bans SET lifted_at = until, lifted_by = 'time', version = nextval('ban_changes')
      WHERE effect = $1 AND kind = $2 AND value = $3 AND lifted_at IS NULL AND until <= now()
      """;
  private static final String ADD =
      """
      INSERT INTO bans (effect, kind, value, reason, actor, until)
      VALUES ($1, $2, $3, $4, $5, now() + $6::float8 * interval '1 millisecond')
      ON CONFLICT (effect, kind, value) WHERE lifted_at IS NULL DO UPDATE SET
        reason = EXCLUDED.reason, actor = EXCLUDED.actor, version = nextval('ban_changes'),
        until = CASE WHEN $7::text[] IS NOT NULL AND bans.actor <> EXCLUDED.actor THEN EXCLUDED.until
                     WHEN bans.until IS NULL OR EXCLUDED.until IS NULL THEN NULL
                     ELSE greatest(bans.until, EXCLUDED.until) END
      WHERE $7::text[] IS NULL OR bans.actor = EXCLUDED.actor
        OR (bans.actor LIKE ANY ($7) AND ($1 = 'allow' OR EXCLUDED.until > bans.until))
      RETURNING xmax = 0 AS fresh,
      """
          + COLUMNS;
  private static final String LIFT =
      """
      UPDATE bans SET lifted_at = now(), lifted_by = $2, version = nextval('ban_changes')
      WHERE id = $1 AND lifted_at IS NULL AND (until IS NULL OR until > now())
        AND actor = coalesce($3, actor) RETURNING
      """
          + COLUMNS;
  private static final String IN_FORCE =
      "SELECT "
          + COLUMNS
          + "FROM bans WHERE effect = $1 AND kind = $2 AND value = $3 AND lifted_at IS NULL";
  private static final String ENTRY = "SELECT " + COLUMNS + "FROM bans WHERE id = $1";
  private static final String LIST =
      "SELECT "
          + COLUMNS
          + """
          FROM bans WHERE ($1::text IS NULL OR effect = $1) AND ($2::text IS NULL OR kind = $2)
            AND ($3::text IS NULL OR value = $3) AND ($5::bigint = 0 OR id < $5)
            AND ($4 OR (lifted_at IS NULL AND (until IS NULL OR until > now())))
          ORDER BY id DESC LIMIT $6
          """;
  private static final String FORGET =
      "DELETE FROM bans WHERE coalesce(lifted_at, until) < now() - interval '400 days'";

  /// The entries in force, and the version up to which they are complete.
  record Snapshot(List<Ban.Entry> entries, long version) {}

  /// A new entry.
  ///
  /// @param length null for a permanent entry
  /// @param replaced the authors whose entries it replaces, as patterns of LIKE: an exemption all
  ///   of them, a ban those that end earlier. Entries of the same author are extended, others stay.
  ///   Null to replace and extend any entry
  record Draft(
      Ban.Effect effect,
      BanSubject subject,
      String reason,
      String actor,
      @Nullable Duration length,
      @Nullable List<String> replaced) {}

  /// @param limit maximum number of entries; the newest are returned
  Snapshot load(int limit) {
    return database.reading(
        db ->
            new Snapshot(
                db.list(LIVE, PostgresBans::entry, limit), db.query(NEWEST).getFirst().getLong(0)));
  }

  /// Watches the version of the newest change; 0 before the first.
  ChangePoll.Watch watch(Function<Long, Future<Void>> listener) {
    return database.changes().watch(NEWEST, text -> listener.apply(Long.valueOf(text)));
  }

  /// The next changes after a version, at most [#PAGE].
  Future<List<Ban.Entry>> changes(long after) {
    return database.queryList(CHANGES, PostgresBans::entry, after);
  }

  BanService.Outcome add(Draft draft) {
    return database.tx(
        db -> {
          lock(db);
          return add(db, draft);
        });
  }

  /// Ends an entry, if it is in force, and adds one in the same transaction.
  BanService.Outcome replace(long id, String actor, Draft draft) {
    return database.tx(
        db -> {
          lock(db);
          var _ = db.query(LIFT, id, actor, null);
          return add(db, draft);
        });
  }

  /// @param author null for any
  Optional<Ban.Entry> lift(long id, @Nullable String author, String actor) {
    return database.tx(
        db -> {
          lock(db);
          return db.first(LIFT, PostgresBans::entry, id, actor, author);
        });
  }

  Optional<Ban.Entry> entry(long id) {
    return database.first(ENTRY, PostgresBans::entry, id);
  }

  List<Ban.Entry> list(Ban.Query query) {
    Ban.Effect effect = query.effect();
    BanSubject.Kind kind = query.kind();
    return database.list(
        LIST,
        PostgresBans::entry,
        effect == null ? null : effect.word(),
        kind == null ? null : kind.word(),
        query.value(),
        query.past(),
        query.before(),
        query.limit());
  }

  /// Deletes entries that ended more than a year ago.
  void forget() {
    int _ = database.update(FORGET);
  }

  private static void lock(Db db) {
    var _ = db.query(LOCK);
  }

  private static BanService.Outcome add(Db db, Draft draft) {
    String effect = draft.effect().word();
    BanSubject subject = draft.subject();
    String kind = subject.kind().word();
    db.update(END, effect, kind, subject.value());
    Duration length = draft.length();
    List<String> replaced = draft.replaced();
    List<Row> rows =
        db.query(
            ADD,
            effect,
            kind,
            subject.value(),
            draft.reason(),
            draft.actor(),
            length == null ? null : (double) length.toMillis(),
            replaced == null ? null : replaced.toArray(String[]::new));
    if (rows.isEmpty()) {
      return new BanService.Outcome.Kept(
          entry(db.query(IN_FORCE, effect, kind, subject.value()).getFirst()).ban());
    }
    Row row = rows.getFirst();
    Ban ban = entry(row).ban();
    return row.getBoolean("fresh")
        ? new BanService.Outcome.Added(ban)
        : new BanService.Outcome.Extended(ban);
  }

  private static Ban.Entry entry(Row row) {
    Long until = row.getLong("until_ms");
    Ban ban =
        new Ban(
            row.getLong("id"),
            Ban.Effect.valueOf(row.getString("effect").toUpperCase(java.util.Locale.ROOT)),
            new BanSubject(
                BanSubject.Kind.named(row.getString("kind")).orElseThrow(), row.getString("value")),
            row.getString("reason"),
            row.getString("actor"),
            row.getLong("since"),
            until == null ? Ban.FOR_EVER : until);
    return new Ban.Entry(
        ban, row.getLong("lifted"), row.getString("lifted_by"), row.getLong("version"));
  }
}
