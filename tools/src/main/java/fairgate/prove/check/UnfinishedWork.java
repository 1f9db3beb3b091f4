package fairgate.prove.check;

import fairgate.prove.environment.Resp;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads the work of a sale that is still pending.
final class UnfinishedWork {
  /// The consumer group of the relays.
  private static final String GROUP = "ledger";

  /// The ledger may have an event and lack an earlier one, so the number of the last one says
  /// little.
  private static final String TOLD =
      """
      SELECT count(*) FROM (
        SELECT product_id, epoch, seq FROM order_events
        UNION SELECT product_id, (entry->>'epoch')::bigint, (entry->>'seq')::bigint FROM dead_letters
      ) AS told WHERE epoch = %d AND product_id = ?
      """;

  private UnfinishedWork() {}

  /// Describes the pending work; empty when there is none.
  static String of(Connection sql, Resp redis, Names names, String product)
      throws SQLException, IOException {
    // Pending work is counted before the entries that it will write. An entry that is written
    // between the two reads is then counted at least once.
    long offers = offers(sql, redis, names, product);
    long refunds =
        count(
                sql,
                "SELECT count(*) FROM refunds r JOIN orders o USING (order_id)"
                    + " WHERE r.state = 'due' AND o.product_id = ?",
                product)
            + count(
                sql,
                "SELECT count(*) FROM refunds r JOIN deposits d ON d.deposit_id = r.order_id"
                    + " WHERE r.state = 'due' AND d.product_id = ?",
                product);
    long deposits = deposits(sql, redis, names, product);
    long open =
        count(
            sql,
            "SELECT count(*) FROM orders WHERE status = 'pending' AND product_id = ?",
            product);
    long pending = number(redis.call("ZCARD", names.pending()));
    String state = String.valueOf(redis.call("HGET", names.sale(), "state"));
    long epoch = number(redis.call("HGET", names.sale(), "epoch"));
    long seq = number(redis.call("HGET", names.sale(), "seq"));
    long told = count(sql, TOLD.formatted(epoch), product);
    boolean built = !state.startsWith("reb");
    // Also of earlier epochs.
    long undelivered = undelivered(redis, names.outbox());
    boolean rest =
        seq == told
            && undelivered == 0
            && pending == 0
            && open == 0
            && refunds == 0
            && offers == 0
            && deposits == 0
            && built;
    return rest
        ? ""
        : "sale %s (%s): events %d of %d, %d not acknowledged, %d and %d orders pending, %d refunds due, %d on the waiting list, %d deposits; "
            .formatted(
                product, state, told, seq, undelivered, pending, open, refunds, offers, deposits);
  }

  /// The number of people on the waiting list of an open sale that has units for them.
  private static long offers(Connection sql, Resp redis, Names names, String product)
      throws SQLException, IOException {
    long waiting =
        count(
            sql,
            "SELECT count(*) FROM standby_entries"
                + " WHERE state IN ('waiting', 'offering') AND product_id = ?",
            product);
    return isOpen(redis, names) && stock(redis, names) > 0 ? waiting : 0;
  }

  /// The number of deposits that have not ended, but for those with which somebody may still join
  /// and those of people who wait in an open sale in which nothing is free.
  private static long deposits(Connection sql, Resp redis, Names names, String product)
      throws SQLException, IOException {
    boolean mayWait = isOpen(redis, names) && stock(redis, names) == 0;
    long open = 0;
    for (LedgerSnapshot.Row row :
        LedgerSnapshot.rows(
            sql,
            "SELECT deposit_id FROM deposits WHERE state IN ('pending', 'paid') AND product_id = ?",
            product)) {
      String holder = String.valueOf(redis.call("HGET", names.deposits(), row.text("deposit_id")));
      boolean isSettled = holder.equals("free") || (mayWait && waits(redis, names, holder));
      open += isSettled ? 0 : 1;
    }
    return open;
  }

  private static boolean waits(Resp redis, Names names, String session) throws IOException {
    Object status = redis.call("HGET", names.session(session), "queue_status");
    return "waiting".equals(status) || "active".equals(status);
  }

  private static boolean isOpen(Resp redis, Names names) throws IOException {
    String state = String.valueOf(redis.call("HGET", names.sale(), "state"));
    return List.of("open", "scheduled").contains(state);
  }

  private static long stock(Resp redis, Names names) throws IOException {
    return number(redis.call("GET", names.stock()));
  }

  /// The number of entries that a relay has read and not acknowledged; 0 without an outbox.
  private static long undelivered(Resp redis, String outbox) throws IOException {
    Object summary = redis.call("XPENDING", outbox, GROUP);
    return summary instanceof List<?> parts && parts.getFirst() instanceof Long count ? count : 0;
  }

  private static long count(Connection sql, String query, String product) throws SQLException {
    return LedgerSnapshot.rows(sql, query, product).getFirst().first();
  }

  private static long number(@Nullable Object reply) {
    return reply == null ? 0 : Long.parseLong(String.valueOf(reply));
  }
}
