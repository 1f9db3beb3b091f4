package fairgate.link;

import fairgate.link.LinkService.BannedHost;
import fairgate.link.LinkService.Bar;
import fairgate.link.cache.LinkEntry;
import fairgate.link.cache.LinkEntry.State;
import fairgate.link.cache.LinkSource;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Links in PostgreSQL, which alone says what they are.
final class PostgresLinks implements LinkSource {
  private static final String FIELDS =
      "l.code, l.url, l.redirect_status, l.expires_at, l.max_visits, l.disabled_at, l.banned_at,"
          + " l.version";
  private static final String FIND = "SELECT " + FIELDS + " FROM short_links l WHERE l.code = $1";

  /// One statement, so that its rows and the number it gives are of one moment.
  private static final String CHANGES =
      "SELECT pg_snapshot_xmin(s.now)::text::bigint, l.changed_xid::text::bigint, "
          + FIELDS
          + " FROM (SELECT pg_current_snapshot() AS now) s LEFT JOIN (SELECT * FROM short_links"
          + " WHERE changed_xid >= $1::text::xid8"
          + " AND (changed_xid, version) > ($2::text::xid8, $3)"
          + " ORDER BY changed_xid, version LIMIT $4) l ON true ORDER BY 2, l.version";

  private static final String NOW = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint";
  private static final String HOSTS =
      "SELECT host, banned FROM short_link_hosts WHERE changed_xid >= $1::text::xid8";
  private static final String INSERT =
      """
      INSERT INTO short_links (code, url, owner, redirect_status, expires_at, max_visits)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::smallint[], $5::timestamptz[],
        $6::int[])
      ON CONFLICT (code) DO NOTHING RETURNING code, version, created_at
      """;
  private static final String CHANGED =
      "version = nextval('short_link_changes'), changed_xid = pg_current_xact_id()";
  private static final String DISABLE =
      "UPDATE short_links SET disabled_at = coalesce(disabled_at, now()), "
          + CHANGED
          + " WHERE code = $1 AND owner = $2";
  private static final String BAN =
      "UPDATE short_links SET banned_at = CASE WHEN $2 THEN coalesce(banned_at, now()) END,"
          + " ban_reason = $3, "
          + CHANGED
          + " WHERE code = $1";
  private static final String BAN_HOST =
      """
      INSERT INTO short_link_hosts AS h (host, reason, actor, banned) VALUES ($1, $2, $3, $4)
      ON CONFLICT (host) DO UPDATE SET reason = $2, actor = $3, banned = $4, changed_at = now(),
        changed_xid = pg_current_xact_id()
      """;
  private static final String OWN =
      "SELECT "
          + FIELDS
          + ", l.owner, l.created_at, l.visits, l.ban_reason, c.clicks, c.bots, c.visitors"
          + " FROM short_links l LEFT JOIN LATERAL (SELECT sum(clicks)::bigint AS clicks,"
          + " sum(bots)::bigint AS bots, sum(visitors)::bigint AS visitors FROM short_link_clicks"
          + " WHERE code = l.code) c ON true ";
  private static final String ONE = OWN + "WHERE l.code = $1";
  private static final String PAGE =
      OWN
          + "WHERE l.owner = $1 AND (l.created_at, l.code) < ($2, $3)"
          + " ORDER BY l.created_at DESC, l.code DESC LIMIT $4";
  private static final String BY_DAY =
      """
      SELECT date_trunc('day', hour, 'UTC') AS at, sum(clicks)::bigint, sum(bots)::bigint,
        sum(visitors)::bigint
      FROM short_link_clicks WHERE code = $1 AND hour >= $2 GROUP BY at ORDER BY at
      """;
  private static final String BY_HOUR =
      """
      SELECT hour AS at, clicks, bots, visitors
      FROM short_link_clicks WHERE code = $1 AND hour >= $2 ORDER BY at
      """;
  private static final String LEFT =
      """
      SELECT max_visits - visits FROM short_links WHERE code = $1 AND max_visits IS NOT NULL
        AND disabled_at IS NULL AND banned_at IS NULL AND (expires_at IS NULL OR expires_at > now())
      FOR UPDATE
      """;
  private static final String COUNT = "UPDATE short_links SET visits = visits + $2 WHERE code = $1";

  /// A visitor waits for a database no longer than this.
  private static final long READ_MS = 1_500;

  private final PostgresDatabase postgres;

  PostgresLinks(PostgresDatabase postgres) {
    this.postgres = postgres;
  }

  @Override
  public Future<Optional<LinkEntry>> find(String code) {
    return postgres
        .query(FIND, code)
        .timeout(READ_MS, TimeUnit.MILLISECONDS)
        .map(rows -> rows.stream().findFirst().map(row -> entry(row, 0)));
  }

  @Override
  public Future<Changes> changes(long from, Mark after, int most) {
    if (from < 0) {
      return postgres
          .query(NOW)
          .compose(now -> hosts(0).map(hosts -> changes(now, List.of(), hosts, after)));
    }
    return postgres
        .query(
            CHANGES,
            Long.toString(from),
            Long.toString(Math.max(0, after.transaction())),
            after.version(),
            most)
        .compose(
            rows -> {
              List<Row> links = rows.stream().filter(row -> row.getValue(2) != null).toList();
              return hosts(from).map(hosts -> changes(rows, links, hosts, after));
            });
  }

  private Future<List<Host>> hosts(long from) {
    return postgres
        .query(HOSTS, Long.toString(from))
        .map(
            rows ->
                rows.stream().map(row -> new Host(row.getString(0), row.getBoolean(1))).toList());
  }

  private static Changes changes(List<Row> first, List<Row> links, List<Host> hosts, Mark after) {
    Mark end = after;
    if (!links.isEmpty()) {
      end = new Mark(links.getLast().getLong(1), links.getLast().getLong(9));
    }
    return new Changes(
        links.stream().map(row -> entry(row, 2)).toList(), hosts, end, first.getFirst().getLong(0));
  }

  /// Adds links whose codes are free; those that were, as they are now. Blocks.
  ///
  /// @param codes one for each link
  List<StoredLink> insert(String owner, List<NewLink> links, List<String> codes) {
    List<Row> rows =
        postgres.tx(
            db ->
                db.query(
                    INSERT,
                    codes.toArray(String[]::new),
                    links.stream().map(link -> link.target().text()).toArray(String[]::new),
                    links.stream().map(_ -> owner).toArray(String[]::new),
                    links.stream().map(link -> (short) link.redirectStatus()).toArray(Short[]::new),
                    links.stream().map(link -> at(link.expiresAt())).toArray(OffsetDateTime[]::new),
                    links.stream()
                        .map(link -> link.maxVisits() == 0 ? null : link.maxVisits())
                        .toArray(Integer[]::new)));
    Map<String, NewLink> byCode = new HashMap<>();
    for (int i = 0; i < codes.size(); i++) {
      byCode.putIfAbsent(codes.get(i), links.get(i));
    }
    return rows.stream()
        .map(row -> made(owner, row, Objects.requireNonNull(byCode.get(row.getString(0)))))
        .toList();
  }

  private static StoredLink made(String owner, Row row, NewLink link) {
    Instant expiry = link.expiresAt();
    LinkEntry entry =
        LinkEntry.of(
            row.getString(0),
            link.target().text(),
            link.redirectStatus(),
            expiry == null ? 0 : expiry.toEpochMilli(),
            link.maxVisits(),
            State.ACTIVE,
            row.getLong(1));
    return new StoredLink(entry, owner, row.getOffsetDateTime(2).toInstant(), 0, 0, 0, 0, null);
  }

  /// Disables a link of this owner; false when there is none. Blocks.
  boolean disable(String code, String owner) {
    return postgres.tx(db -> db.update(DISABLE, code, owner)) > 0;
  }

  /// Bans a link, or lifts its ban; false when there is none. Blocks.
  ///
  /// @param reason null = the ban is lifted
  boolean ban(String code, @Nullable String reason) {
    return postgres.tx(db -> db.update(BAN, code, reason != null, reason)) > 0;
  }

  /// Bans a host with its subdomains, or lifts the ban. Blocks.
  void banHost(String host, String reason, String actor, boolean banned) {
    var _ = postgres.tx(db -> db.update(BAN_HOST, host, reason, actor, banned));
  }

  /// The hosts banned now. Blocks.
  List<BannedHost> bannedHosts() {
    return postgres.reading(
        db ->
            db
                .query(
                    "SELECT host, reason, actor, changed_at FROM short_link_hosts WHERE banned"
                        + " ORDER BY host LIMIT 10000")
                .stream()
                .map(
                    row ->
                        new BannedHost(
                            row.getString(0),
                            row.getString(1),
                            row.getString(2),
                            row.getOffsetDateTime(3).toInstant()))
                .toList());
  }

  /// The link with its sums. Blocks.
  Optional<StoredLink> one(String code) {
    return postgres.reading(db -> db.query(ONE, code)).stream()
        .findFirst()
        .map(PostgresLinks::stored);
  }

  /// Links of an owner, newest first. Blocks.
  ///
  /// @param before created before this moment, or at it with a smaller code
  List<StoredLink> page(String owner, Instant before, String code, int most) {
    return postgres
        .reading(db -> db.query(PAGE, owner, before.atOffset(ZoneOffset.UTC), code, most))
        .stream()
        .map(PostgresLinks::stored)
        .toList();
  }

  /// Clicks over time; hours and days without any are left out. Blocks.
  List<Bar> series(String code, Instant since, boolean byHour) {
    String sql = byHour ? BY_HOUR : BY_DAY;
    return postgres.reading(db -> db.query(sql, code, since.atOffset(ZoneOffset.UTC))).stream()
        .map(
            row ->
                new Bar(
                    row.getOffsetDateTime(0).toInstant(),
                    row.getLong(1),
                    row.getLong(2),
                    row.getLong(3)))
        .toList();
  }

  /// Counts so many visits, or as many as are left; -1 when the link may not be followed at all.
  /// Blocks.
  int take(String code, int wanted) {
    return postgres.tx(
        db -> {
          List<Row> rows = db.query(LEFT, code);
          if (rows.isEmpty()) {
            return -1;
          }
          int granted = Math.min(wanted, rows.getFirst().getInteger(0));
          if (granted > 0) {
            db.update(COUNT, code, granted);
          }
          return granted;
        });
  }

  private static StoredLink stored(Row row) {
    return new StoredLink(
        entry(row, 0),
        row.getString(8),
        row.getOffsetDateTime(9).toInstant(),
        row.getInteger(10),
        number(row, 12),
        number(row, 13),
        number(row, 14),
        row.getString(11));
  }

  private static long number(Row row, int at) {
    Long value = row.getLong(at);
    return value == null ? 0 : value;
  }

  private static LinkEntry entry(Row row, int at) {
    OffsetDateTime expires = row.getOffsetDateTime(at + 3);
    Integer most = row.getInteger(at + 4);
    State state =
        row.getValue(at + 6) != null
            ? State.BANNED
            : row.getValue(at + 5) != null ? State.DISABLED : State.ACTIVE;
    return LinkEntry.of(
        row.getString(at),
        row.getString(at + 1),
        row.getShort(at + 2),
        expires == null ? 0 : expires.toInstant().toEpochMilli(),
        most == null ? 0 : most,
        state,
        row.getLong(at + 7));
  }

  private static @Nullable OffsetDateTime at(@Nullable Instant instant) {
    return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
  }
}
