package fairgate.redeem.code;

import fairgate.platform.postgres.PostgresDatabase;
import java.time.Instant;

/// Expires codes and revokes codes of refunded orders. Several nodes may do so at once; each code
/// is changed by one of them.
record PostgresCodeExpiry(PostgresDatabase database) {
  private static final int MAX_BATCH_SIZE = 500;

  private static final String EXPIRE =
      """
      WITH due AS (
        SELECT id, state FROM redemption_codes
        WHERE state IN ('assigned', 'activated') AND expires_at <= $1
        ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED),
      over AS (
        UPDATE redemption_codes c SET state = 'expired' FROM due WHERE c.id = due.id),
      history AS (
        INSERT INTO code_events (code_id, from_state, to_state, actor, reason, at)
        SELECT id, state, 'expired', 'system', 'its time is over', $1 FROM due)
      SELECT count(*) FROM due
      """;

  private static final String VOID =
      """
      WITH refunded AS (
        SELECT c.id FROM orders o
        JOIN order_redemptions r
          ON r.platform = o.platform AND r.order_id = o.order_id AND r.product_id = o.product_id
        JOIN redemption_codes c ON c.id = r.code_id
        WHERE o.status = 'refunded' AND o.updated_at > $2 AND c.state = 'assigned'
        LIMIT $3 FOR UPDATE OF c SKIP LOCKED),
      gone AS (
        UPDATE redemption_codes c SET state = 'revoked' FROM refunded WHERE c.id = refunded.id),
      history AS (
        INSERT INTO code_events (code_id, from_state, to_state, actor, reason, at)
        SELECT id, 'assigned', 'revoked', 'system', 'order refunded', $1 FROM refunded)
      SELECT count(*) FROM refunded
      """;

  /// A code in use is not revoked automatically; one event informs the operators.
  private static final String FLAG =
      """
      WITH used AS (
        SELECT c.id FROM orders o
        JOIN order_redemptions r
          ON r.platform = o.platform AND r.order_id = o.order_id AND r.product_id = o.product_id
        JOIN redemption_codes c ON c.id = r.code_id
        WHERE o.status = 'refunded' AND o.updated_at > $2 AND c.state = 'activated'
          AND NOT EXISTS (SELECT FROM code_events e
                          WHERE e.code_id = c.id AND e.reason = 'order refunded after use')
        LIMIT $3 FOR UPDATE OF c SKIP LOCKED),
      history AS (
        INSERT INTO code_events (code_id, from_state, to_state, actor, reason, at)
        SELECT id, 'activated', 'activated', 'system', 'order refunded after use', $1 FROM used)
      SELECT count(*) FROM used
      """;

  int expire(Instant now) {
    int all = 0;
    int some;
    do {
      some = count(EXPIRE, PostgresCodes.utc(now), MAX_BATCH_SIZE);
      all += some;
    } while (some == MAX_BATCH_SIZE);
    return all;
  }

  /// Revokes unused codes of orders refunded after `since`, and flags used ones; returns the number
  /// of both.
  int refunded(Instant now, Instant since) {
    int all = 0;
    int some;
    do {
      some = count(VOID, PostgresCodes.utc(now), PostgresCodes.utc(since), MAX_BATCH_SIZE);
      all += some;
    } while (some == MAX_BATCH_SIZE);
    int flagged = count(FLAG, PostgresCodes.utc(now), PostgresCodes.utc(since), MAX_BATCH_SIZE);
    return all + flagged;
  }

  private int count(String sql, Object... args) {
    return database.query(sql, args).await().getFirst().getInteger(0);
  }
}
