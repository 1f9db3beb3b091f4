package fairgate.redeem.transfer;

import fairgate.platform.postgres.Db;

/// What happens to the code of an order that was redeemed and whose money went back.
@FunctionalInterface
public interface Reversals {
  /// Called inside the transaction that changes the order.
  ///
  /// @param status the order's new status: `refunded`, `cancelled` or `pending`
  void reversed(Db db, String platform, String orderId, String status, String actor);
}
