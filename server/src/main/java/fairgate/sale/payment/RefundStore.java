package fairgate.sale.payment;

import fairgate.kernel.OrderId;
import java.time.Duration;
import java.util.List;

/// The ledger's list of money to give back. Blocks: for virtual threads.
interface RefundStore {
  /// One payment that is to go back.
  ///
  /// @param tries how often it was taken, this time included
  record Due(OrderId order, Payment payment, int tries) {
    /// What the provider knows the refund by, the same at every try.
    String key() {
      return order.value() + ':' + payment.id();
    }
  }

  /// Takes refunds whose time has come; no node gets one of them again before the lease is over.
  List<Due> take(int most, Duration lease);

  /// The money has gone back.
  void done(Due due);

  /// Try again after a while.
  void postpone(Due due, Duration wait);

  /// The provider refuses; a person has to act.
  void failed(Due due);
}
