package fairgate.link;

import fairgate.link.LinkService.BannedHost;
import fairgate.link.LinkService.Bar;
import fairgate.link.LinkService.StoredLink;
import fairgate.link.cache.LinkEntry;
import fairgate.link.cache.LinkEntry.State;
import fairgate.platform.postgres.Db;
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
record PostgresLinkBook(PostgresDatabase postgres) {
  private static final String INSERT =
      """
      INSERT INTO short_links (code, url, owner, redirect_status, expires_at, max_visits,
        forward_query)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::smallint[], $5::timestamptz[],
        $6::int[], $7::text[])
      ON CONFLICT (code) DO NOTHING RETURNING code, version, created_at
      """;
  private static final String LOCK_OWNER =
      "SELECT pg_advisory_xact_lock(hashtextextended('links of ' || $1, 0))";
  private static final String COUNT_OWN = "SELECT count(*) FROM short_links WHERE owner = $1";
  private static final String CHANGED =
      "version = nextval('short_link_changes'), changed_xid = pg_current_xact_id()";
  private static final String DISABLE =
      "UPDATE short_links SET disabled_at = coalesce(disabled_at, now()), "
          + CHANGED
          + " WHERE code = $1 AND owner = $2";
  private static final String DISABLE_ALL =
      "UPDATE short_links SET disabled_at = now(), "
          + CHANGED
          + " WHERE owner = $1 AND disabled_at IS NULL";
  private static final String RETARGET =
      "UPDATE short_links SET url = $3, " + CHANGED + " WHERE code = $1 AND owner = $2";
  private static final String ADOPT = "UPDATE short_links SET owner = $2 WHERE owner = $1";
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

  /// The result of adding links.
  ///
  /// @param links the added ones
  /// @param tried the number of links, from the first, that the owner's limit permits
  record Added(List<StoredLink> links, int tried) {}

  /// Adds links with free codes, up to the owner's limit.
  ///
  /// @param codes one for each link
  /// @param max the maximum number of links of an owner
  Added insert(String owner, List<NewLink> links, List<String> codes, int max) {
    return postgres.tx(
        db -> {
          var _ = db.query(LOCK_OWNER, owner);
          long had = db.query(COUNT_OWN, owner).getFirst().getLong(0);
          int tried = Math.clamp(max - had, 0, links.size());
          return new Added(insert(db, owner, links.subList(0, tried), codes), tried);
        });
  }

  private static List<StoredLink> insert(
      Db db, String owner, List<NewLink> links, List<String> codes) {
    List<Row> rows =
        db.query(
            INSERT,
            codes.stream().limit(links.size()).toArray(String[]::new),
            links.stream().map(link -> link.target().text()).toArray(String[]::new),
            links.stream().map(_ -> owner).toArray(String[]::new),
            links.stream().map(link -> (short) link.redirectStatus()).toArray(Short[]::new),
            links.stream().map(link -> at(link.expiresAt())).toArray(OffsetDateTime[]::new),
            links.stream()
                .map(link -> link.maxVisits() == 0 ? null : link.maxVisits())
                .toArray(Integer[]::new),
            links.stream().map(link -> link.forward().text()).toArray(String[]::new));
    Map<String, NewLink> byCode = new HashMap<>();
    for (int i = 0; i < links.size(); i++) {
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
                row.getLong(1))
            .forwarding(link.forward());
    return new StoredLink(entry, owner, row.getOffsetDateTime(2).toInstant(), 0, 0, 0, 0, null);
  }

  /// Disables a link of this owner; false when there is none.
  boolean disable(String code, String owner) {
    return postgres.update(DISABLE, code, owner) > 0;
  }

  void disableAll(String owner) {
    var _ = postgres.update(DISABLE_ALL, owner);
  }

  /// Has a link of this owner lead elsewhere; false when there is none.
  boolean retarget(String code, String owner, String url) {
    return postgres.update(RETARGET, code, owner, url) > 0;
  }

  void adopt(String from, String to) {
    var _ = postgres.update(ADOPT, from, to);
  }

  /// Bans a link, or lifts its ban; false when there is none.
  ///
  /// @param reason null = the ban is lifted
  boolean ban(String code, @Nullable String reason) {
    return postgres.update(BAN, code, reason != null, reason) > 0;
  }

  /// Bans a host with its subdomains, or lifts the ban.
  void banHost(String host, String reason, String actor, boolean banned) {
    var _ = postgres.update(BAN_HOST, host, reason, actor, banned);
  }

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

  Optional<StoredLink> one(String code) {
    return postgres.first(ONE, PostgresLinkBook::stored, code);
  }

  /// Links of an owner, newest first.
  ///
  /// @param before created before this moment, or at it with a smaller code
  List<StoredLink> page(String owner, Instant before, String code, int max) {
    return postgres.list(
        PAGE, PostgresLinkBook::stored, owner, before.atOffset(ZoneOffset.UTC), code, max);
  }

  /// Clicks by the hour; hours without any are left out.
  List<Bar> hours(String code, Instant since) {
    return postgres.list(
        BY_HOUR,
        row ->
            new Bar(
                row.getOffsetDateTime(0).toInstant(),
                row.getLong(1),
                row.getLong(2),
                row.getLong(3)),
        code,
        since.atOffset(ZoneOffset.UTC));
  }

  /// Counts the wanted number of visits, or as many as are left; -1 if the link may not be followed
  /// at all.
  int take(String code, int requested) {
    return postgres.tx(
        db -> {
          List<Row> rows = db.query(LEFT, code);
          if (rows.isEmpty()) {
            return -1;
          }
          int granted = Math.min(requested, rows.getFirst().getInteger(0));
          if (granted > 0) {
            db.update(COUNT, code, granted);
          }
          return granted;
        });
  }

  private static StoredLink stored(Row row) {
    return new StoredLink(
        PostgresLinks.entry(row, 0),
        row.getString(9),
        row.getOffsetDateTime(10).toInstant(),
        row.getInteger(11),
        number(row, 13),
        number(row, 14),
        number(row, 15),
        row.getString(12));
  }

  private static long number(Row row, int at) {
    Long value = row.getLong(at);
    return value == null ? 0 : value;
  }

  private static @Nullable OffsetDateTime at(@Nullable Instant instant) {
    return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
  }
}
