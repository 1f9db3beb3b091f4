package fairgate.sale.payment;

import fairgate.platform.postgres.PostgresDatabase;

/// Tells the orders of this installation from those of others that share its account at a provider:
/// an order of ours is in the ledger, or had a payment page. Blocks: for virtual threads.
interface OwnOrders {
  /// Whether this installation asked for payments of the order.
  ///
  /// @param order as the provider named it; not always an order id
  boolean contains(String order);

  static OwnOrders in(PostgresDatabase database) {
    String sql =
        """
        SELECT 1 FROM orders WHERE platform = 'fairgate' AND order_id = $1
        UNION ALL SELECT 1 FROM payment_checkouts WHERE order_id = $1
        UNION ALL SELECT 1 FROM deposits WHERE deposit_id = $1 LIMIT 1
        """;
    return order -> !database.tx(db -> db.query(sql, order)).isEmpty();
  }
}
