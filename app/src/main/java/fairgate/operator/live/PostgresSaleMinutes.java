package fairgate.operator.live;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.LiveCounters;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;

/// The course of sales in PostgreSQL, one row a minute, for 400 days. Every node writes the same
/// rows; the totals of a sale never decrease, so the greater one is the later one.
final class PostgresSaleMinutes {
  private static final String WRITE =
      """
      INSERT INTO sale_minutes AS m
        (product_id, minute, joined, admitted, missed, waiting, buyers, free)
      SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::bigint[], $4::bigint[], $5::bigint[],
        $6::bigint[], $7::bigint[], $8::bigint[]) AS t ORDER BY 1
      ON CONFLICT (product_id, minute) DO UPDATE SET
        joined = greatest(m.joined, excluded.joined),
        admitted = greatest(m.admitted, excluded.admitted),
        missed = greatest(m.missed, excluded.missed),
        waiting = excluded.waiting, buyers = excluded.buyers, free = excluded.free
      WHERE (m.joined, m.admitted, m.missed, m.waiting, m.buyers, m.free) IS DISTINCT FROM
        (excluded.joined, excluded.admitted, excluded.missed, excluded.waiting, excluded.buyers,
          excluded.free)
      """;
  private static final String ADD_REFUSALS =
      """
      INSERT INTO sale_refusals AS r (product_id, minute, reason, refused)
      SELECT $1, $2, reason, refused FROM unnest($3::text[], $4::bigint[]) AS t (reason, refused)
      ORDER BY reason
      ON CONFLICT (product_id, minute, reason) DO UPDATE SET refused = r.refused + excluded.refused
      """;
  private static final String FORGET_MINUTES =
      "DELETE FROM sale_minutes WHERE minute < now() - interval '400 days'";
  private static final String FORGET_REFUSALS =
      "DELETE FROM sale_refusals WHERE minute < now() - interval '400 days'";
  private static final long FORGET_EVERY_NANOS = 3_600_000_000_000L;

  private final PostgresDatabase database;
  private long forgotAt = System.nanoTime();

  PostgresSaleMinutes(PostgresDatabase database) {
    this.database = database;
  }

  /// Writes the minutes of these points, of each sale one. Rows that say the same stay as they are.
  /// Blocks.
  void write(Map<ProductId, SaleHistory.Point> points) {
    List<ProductId> ids = List.copyOf(points.keySet());
    database.update(
        WRITE,
        ids.stream().map(ProductId::value).toArray(String[]::new),
        ids.stream().map(id -> minute(point(points, id))).toArray(OffsetDateTime[]::new),
        column(ids, points, LiveCounters::joined),
        column(ids, points, LiveCounters::admitted),
        column(ids, points, LiveCounters::missed),
        column(ids, points, LiveCounters::waiting),
        column(ids, points, LiveCounters::purchases),
        column(ids, points, LiveCounters::free));
  }

  private static SaleHistory.Point point(Map<ProductId, SaleHistory.Point> points, ProductId id) {
    return Objects.requireNonNull(points.get(id));
  }

  private static Long[] column(
      List<ProductId> ids,
      Map<ProductId, SaleHistory.Point> points,
      ToLongFunction<LiveCounters> counter) {
    return ids.stream()
        .map(id -> counter.applyAsLong(point(points, id).counters()))
        .toArray(Long[]::new);
  }

  private static OffsetDateTime minute(SaleHistory.Point point) {
    return Instant.ofEpochMilli(point.at())
        .truncatedTo(ChronoUnit.MINUTES)
        .atOffset(ZoneOffset.UTC);
  }

  /// Adds the refusals to those of the point's minute. Blocks.
  void addRefusals(ProductId product, SaleHistory.Point point, Map<ErrorCode, Long> refusals) {
    List<ErrorCode> reasons = List.copyOf(refusals.keySet());
    database.update(
        ADD_REFUSALS,
        product.value(),
        minute(point),
        reasons.stream().map(ErrorCode::name).toArray(String[]::new),
        reasons.stream().map(refusals::get).toArray(Long[]::new));
  }

  /// Deletes rows that are too old, once an hour. Called by one thread.
  void forgetOld() {
    long now = System.nanoTime();
    if (now - forgotAt > FORGET_EVERY_NANOS) {
      forgotAt = now;
      int _ = database.tx(db -> db.update(FORGET_MINUTES) + db.update(FORGET_REFUSALS));
    }
  }
}
