package fairgate.sale.payment;

import fairgate.kernel.OrderId;
import fairgate.platform.postgres.PostgresDatabase;

/// The table `payments`. Its primary key makes a payment belong to one order, across all products
/// and independent of Redis.
record PostgresPaymentOwners(PostgresDatabase database) {
  /// The update changes nothing; it makes the statement return the existing row.
  private static final String CLAIM =
      """
      INSERT INTO payments (payment_id, order_id) VALUES ($1, $2)
      ON CONFLICT (payment_id) DO UPDATE SET payment_id = excluded.payment_id
      RETURNING order_id
      """;

  /// Assigns the payment to the order unless another order has it, and returns its order. A repeat
  /// returns the same on all nodes, permanently.
  OrderId claim(OrderId order, Payment payment) {
    return new OrderId(
        database.rows(CLAIM, payment.id(), order.value()).getFirst().getString("order_id"));
  }
}
