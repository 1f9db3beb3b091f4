package fairgate.redeem.code;

import fairgate.platform.postgres.Db;

/// Keeps codes consistent with their orders: unused codes are revoked when the order is refunded,
/// and restored if it turns out to be paid. A code that an operator revoked stays revoked.
public final class OrderCodes {
  private OrderCodes() {}

  public record Followed(long revoked, long restored) {}

  /// Brings the codes of these orders in line with them, inside the caller's transaction. Blocks; a
  /// repeat changes nothing.
  ///
  /// @param platforms one for each of `orders`
  public static Followed follow(Db db, String[] platforms, String[] orders) {
    if (orders.length == 0) {
      return new Followed(0, 0);
    }
    return new Followed(
        PostgresOrderCodes.revoke(db, platforms, orders),
        PostgresOrderCodes.restore(db, platforms, orders));
  }
}
