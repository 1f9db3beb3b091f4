package fairgate.redeem.code;

import fairgate.platform.postgres.PostgresDatabase;
import java.util.List;

/// Counts sellers' codes, and the orders that have none.
record PostgresSellerStock(PostgresDatabase database) {
  /// Orders of this server's own sales never get a seller's code.
  private static final String LEVELS =
      """
      SELECT p.id,
        (SELECT count(*) FROM redemption_codes c
         WHERE c.product_id = p.id AND c.source = 'seller' AND c.state = 'available') AS waiting,
        (SELECT count(*) FROM orders o
         WHERE o.product_id = p.id AND o.platform <> 'fairgate' AND o.status = 'paid'
           AND (o.expires_at IS NULL OR o.expires_at > now())
           AND NOT EXISTS (SELECT FROM order_redemptions r
                           WHERE r.platform = o.platform AND r.order_id = o.order_id
                             AND r.product_id = o.product_id)
           AND NOT EXISTS (SELECT FROM redemption_codes c
                           WHERE c.platform = o.platform AND c.order_id = o.order_id
                             AND c.product_id = o.product_id AND c.state = 'available')) AS without
      FROM (SELECT product_id FROM redemption_codes WHERE source = 'seller'
            UNION SELECT id FROM redeem_products WHERE codes = 'seller'
            EXCEPT SELECT id FROM redeem_products WHERE codes = 'generated') AS p (id)
      ORDER BY p.id
      """;

  List<SellerStock.Level> levels() {
    return database.query(LEVELS).await().stream()
        .map(row -> new SellerStock.Level(row.getString(0), row.getLong(1), row.getLong(2)))
        .toList();
  }
}
