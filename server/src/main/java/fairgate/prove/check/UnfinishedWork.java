package fairgate.prove.check;

import fairgate.prove.stage.Resp;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/// Reads the work of a sale that is still pending.
final class UnfinishedWork {
  private UnfinishedWork() {}

  /// Describes the pending work; empty when there is none.
  static String of(Connection sql, Resp redis, Names names, String product)
      throws SQLException, IOException {
    // Work that is waiting is counted before the entries it will write: an entry written between
    // the
    // two reads is then missed by neither.
    long refunds =
        count(
            sql,
            "SELECT count(*) FROM refunds r JOIN orders o USING (order_id)"
                + " WHERE r.state = 'due' AND o.product_id = ?",
            product);
    long open =
        count(
            sql,
            "SELECT count(*) FROM orders WHERE status = 'pending' AND product_id = ?",
            product);
    long pending = number(redis.call("ZCARD", names.pending()));
    String state = String.valueOf(redis.call("HGET", names.sale(), "state"));
    long epoch = number(redis.call("HGET", names.sale(), "epoch"));
    long seq = number(redis.call("HGET", names.sale(), "seq"));
    long last =
        count(
            sql,
            "SELECT coalesce((SELECT last_seq FROM outbox_positions WHERE epoch = "
                + epoch
                + " AND product_id = ?), 0)",
            product);
    boolean built = !state.startsWith("reb");
    boolean rest = seq == last && pending == 0 && open == 0 && refunds == 0 && built;
    return rest
        ? ""
        : "sale %s (%s): events %d of %d, %d and %d orders pending, %d refunds due; "
            .formatted(product, state, last, seq, pending, open, refunds);
  }

  private static long count(Connection sql, String query, String product) throws SQLException {
    return LedgerSnapshot.rows(sql, query, product).getFirst().first();
  }

  private static long number(@Nullable Object reply) {
    return reply == null ? 0 : Long.parseLong(String.valueOf(reply));
  }
}
