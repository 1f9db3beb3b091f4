package fairgate.redeem.code;

import fairgate.platform.postgres.Db;

/// Codes that follow their orders, in the tables `redemption_codes` and `code_events`.
final class PostgresOrderCodes {
  private static final String REVOKE =
      """
      WITH refunded AS (
        SELECT c.id
        FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS u (platform, order_id)) i
        JOIN orders o ON o.platform = i.platform AND o.order_id = i.order_id
        JOIN order_redemptions r
          ON r.platform = o.platform AND r.order_id = o.order_id AND r.product_id = o.product_id
        JOIN redemption_codes c ON c.id = r.code_id
        WHERE o.status = 'refunded' AND c.state = 'assigned' FOR UPDATE OF c),
      gone AS (
        UPDATE redemption_codes c SET state = 'revoked' FROM refunded WHERE c.id = refunded.id),
      history AS (
        INSERT INTO code_events (code_id, from_state, to_state, actor, reason)
        SELECT id, 'assigned', 'revoked', 'system', 'order refunded' FROM refunded)
      SELECT count(*) FROM refunded
      """;

  private static final String RESTORE =
      """
      WITH paid AS (
        SELECT c.id
        FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS u (platform, order_id)) i
        JOIN orders o ON o.platform = i.platform AND o.order_id = i.order_id
        JOIN order_redemptions r
          ON r.platform = o.platform AND r.order_id = o.order_id AND r.product_id = o.product_id
        JOIN redemption_codes c ON c.id = r.code_id
        WHERE o.status = 'paid' AND c.state = 'revoked'
          AND (SELECT e.actor FROM code_events e WHERE e.code_id = c.id
               ORDER BY e.id DESC LIMIT 1) = 'system'
        FOR UPDATE OF c),
      back AS (
        UPDATE redemption_codes c SET state = 'assigned' FROM paid WHERE c.id = paid.id),
      history AS (
        INSERT INTO code_events (code_id, from_state, to_state, actor, reason)
        SELECT id, 'revoked', 'assigned', 'system', 'order paid again' FROM paid)
      SELECT count(*) FROM paid
      """;

  private PostgresOrderCodes() {}

  /// How many codes of refunded orders were withdrawn.
  static long revoke(Db db, String[] platforms, String[] orders) {
    return count(db, REVOKE, platforms, orders);
  }

  /// How many codes of paid orders were given back.
  static long restore(Db db, String[] platforms, String[] orders) {
    return count(db, RESTORE, platforms, orders);
  }

  /// @param platforms an array, which is one value
  private static long count(Db db, String sql, Object platforms, Object orders) {
    return db.query(sql, platforms, orders).getFirst().getLong(0);
  }
}
