package fairgate.link;

import fairgate.link.LinkService.BannedHost;
import fairgate.link.LinkService.Bar;
import fairgate.link.cache.LinkEntry;
import fairgate.link.cache.LinkEntry.State;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Links in PostgreSQL as their owners and operators know them: making, changing, counting and
/// listing them. Everything blocks, and throws ServiceUnavailable when the database cannot answer.
final class PostgresLinkBook {
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
          + PostgresLinks.FIELDS
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

  private final PostgresDatabase postgres;

  PostgresLinkBook(PostgresDatabase postgres) {
    this.postgres = postgres;
  }

  /// Adds links whose codes are free; those that were, as they are now.
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

  /// Disables a link of this owner; false when there is none.
  boolean disable(String code, String owner) {
    return postgres.tx(db -> db.update(DISABLE, code, owner)) > 0;
  }

  /// Bans a link, or lifts its ban; false when there is none.
  ///
  /// @param reason null = the ban is lifted
  boolean ban(String code, @Nullable String reason) {
    return postgres.tx(db -> db.update(BAN, code, reason != null, reason)) > 0;
  }

  /// Bans a host with its subdomains, or lifts the ban.
  void banHost(String host, String reason, String actor, boolean banned) {
    var _ = postgres.tx(db -> db.update(BAN_HOST, host, reason, actor, banned));
  }

  /// The hosts banned now.
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

  /// The link with its sums.
  Optional<StoredLink> one(String code) {
    return postgres.reading(db -> db.query(ONE, code)).stream()
        .findFirst()
        .map(PostgresLinkBook::stored);
  }

  /// Links of an owner, newest first.
  ///
  /// @param before created before this moment, or at it with a smaller code
  List<StoredLink> page(String owner, Instant before, String code, int most) {
    return postgres
        .reading(db -> db.query(PAGE, owner, before.atOffset(ZoneOffset.UTC), code, most))
        .stream()
        .map(PostgresLinkBook::stored)
        .toList();
  }

  /// Clicks over time; hours and days without any are left out.
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
        PostgresLinks.entry(row, 0),
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

  private static @Nullable OffsetDateTime at(@Nullable Instant instant) {
    return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
  }
}
