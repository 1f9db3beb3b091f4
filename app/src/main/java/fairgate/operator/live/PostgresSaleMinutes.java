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

/// The course of sales in PostgreSQL, one row a minute, for 400 days. Every node writes the same
/// rows; the totals of a sale never decrease, so the greater one is the later one.
final class PostgresSaleMinutes {
  private static final String WRITE =
      """
      INSERT INTO sale_minutes AS m
        (product_id, minute, joined, admitted, missed, waiting, buyers, free)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (product_id, minute) DO UPDATE SET
        joined = greatest(m.joined, excluded.joined),
        admitted = greatest(m.admitted, excluded.admitted),
        missed = greatest(m.missed, excluded.missed),
        waiting = excluded.waiting, buyers = excluded.buyers, free = excluded.free
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

  /// Writes the minute of the point, and adds the refusals to it. Blocks.
  void write(ProductId product, SaleHistory.Point point, Map<ErrorCode, Long> refusals) {
    OffsetDateTime minute =
        Instant.ofEpochMilli(point.at()).truncatedTo(ChronoUnit.MINUTES).atOffset(ZoneOffset.UTC);
    LiveCounters live = point.counters();
    List<ErrorCode> reasons = List.copyOf(refusals.keySet());
    int _ =
        database.tx(
            db -> {
              int written =
                  db.update(
                      WRITE,
                      product.value(),
                      minute,
                      live.joined(),
                      live.admitted(),
                      live.missed(),
                      live.waiting(),
                      live.purchases(),
                      live.free());
              return reasons.isEmpty()
                  ? written
                  : db.update(
                      ADD_REFUSALS,
                      product.value(),
                      minute,
                      reasons.stream().map(ErrorCode::name).toArray(String[]::new),
                      reasons.stream().map(refusals::get).toArray(Long[]::new));
            });
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
