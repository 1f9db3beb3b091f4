package fairgate.link;

import fairgate.link.cache.LinkCache;
import fairgate.link.cache.LinkEntry;
import fairgate.link.cache.LinkEntry.State;
import fairgate.link.code.ForwardQuery;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.Batcher;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Links in PostgreSQL, the authoritative store: reads and changes for the cache.
final class PostgresLinks implements LinkCache.Source {
  /// The columns of `short_links l` that `entry` reads.
  static final String FIELDS =
      "l.code, l.url, l.redirect_status, l.expires_at, l.max_visits, l.disabled_at, l.banned_at,"
          + " l.version, l.forward_query";

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

  private final PostgresDatabase postgres;
  private final PostgresLinkReads reads;

  PostgresLinks(PostgresDatabase postgres) {
    this.postgres = postgres;
    this.reads = new PostgresLinkReads(postgres);
  }

  @Override
  public Future<Optional<LinkEntry>> find(String code) {
    return reads.find(code);
  }

  @Override
  public Future<Changes> changes(long from, Position after, int max) {
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
            max)
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

  private static Changes changes(
      List<Row> first, List<Row> links, List<Host> hosts, Position after) {
    Position end = after;
    if (!links.isEmpty()) {
      end = new Position(links.getLast().getLong(1), links.getLast().getLong(9));
    }
    return new Changes(
        links.stream().map(row -> entry(row, 2)).toList(), hosts, end, first.getFirst().getLong(0));
  }

  /// The entry of a row that begins with `FIELDS` at this column.
  static LinkEntry entry(Row row, int at) {
    OffsetDateTime expires = row.getOffsetDateTime(at + 3);
    Integer max = row.getInteger(at + 4);
    State state =
        row.getValue(at + 6) != null
            ? State.BANNED
            : row.getValue(at + 5) != null ? State.DISABLED : State.ACTIVE;
    return LinkEntry.of(
            row.getString(at),
            row.getString(at + 1),
            row.getShort(at + 2),
            expires == null ? 0 : expires.toInstant().toEpochMilli(),
            max == null ? 0 : max,
            state,
            row.getLong(at + 7))
        .forwarding(ForwardQuery.of(row.getString(at + 8)).orElseThrow());
  }

  /// Reads links by their codes, many codes per statement. A client that tries many codes therefore
  /// costs the database a few statements per round trip. Safe for use by any thread.
  static final class PostgresLinkReads {
    private static final String FIND =
        "SELECT " + PostgresLinks.FIELDS + " FROM short_links l WHERE l.code = ANY($1)";
    private static final int MAX_CONCURRENT_BATCHES = 2;
    private static final int MAX_BATCH_SIZE = 256;

    private static final long READ_TIMEOUT_MS = 1_500;

    private final PostgresDatabase postgres;
    private final Batcher<String, Optional<LinkEntry>> batcher;

    PostgresLinkReads(PostgresDatabase postgres) {
      this.postgres = postgres;
      this.batcher =
          new Batcher<>("link-reads", MAX_BATCH_SIZE, MAX_CONCURRENT_BATCHES, this::findAll);
    }

    /// The link of a code. Fails when the database does not answer, or when too many reads wait.
    Future<Optional<LinkEntry>> find(String code) {
      return batcher.submit(code);
    }

    private Future<List<Optional<LinkEntry>>> findAll(List<String> codes) {
      return postgres
          .query(FIND, (Object) codes.stream().distinct().toArray(String[]::new))
          .timeout(READ_TIMEOUT_MS, TimeUnit.MILLISECONDS)
          .map(
              rows -> {
                Map<String, LinkEntry> found = new HashMap<>();
                rows.forEach(row -> found.put(row.getString(0), PostgresLinks.entry(row, 0)));
                return codes.stream().map(code -> Optional.ofNullable(found.get(code))).toList();
              });
    }
  }
}
