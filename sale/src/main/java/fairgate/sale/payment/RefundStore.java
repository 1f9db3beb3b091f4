package fairgate.sale.payment;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/// The ledger's list of refunds. Blocks: for virtual threads.
interface RefundStore {
  /// A payment to refund.
  ///
  /// @param order the order that the payment names; not always an order id
  /// @param payment with the amount that goes back
  /// @param part the part of the payment that goes back; empty = all of it, or the rest
  /// @param cause as in [Refund]
  /// @param tries how often it was taken, this time included
  record DueRefund(String order, Payment payment, String part, String cause, int tries) {
    /// Whether no order has the refund, because none took the payment.
    boolean isUnplaced() {
      return cause.equals("unknown_order") || cause.equals("other_order");
    }

    /// The key of the refund at the provider, the same at each try.
    String key() {
      return order + ':' + payment.id() + (part.isEmpty() ? "" : ':' + part);
    }
  }

  /// Takes due refunds, including those that waited for a provider. No node gets one of them again
  /// before the lease ends.
  List<DueRefund> take(int max, Duration lease);

  /// Marks due refunds as waiting, because the provider cannot be called. Returns their number.
  int park(String why);

  /// Marks a payment as refunded for which there is no outbox event.
  void done(DueRefund due);

  void postpone(DueRefund due, Duration wait, String answer);

  /// Marks the refund as refused; a person has to decide.
  void failed(DueRefund due, String answer);

  /// Records a payment that no order could take, for a person to decide. A repeat changes nothing.
  ///
  /// @param order the order that the payment names; not always an order id
  /// @param cause `unknown_order` or `other_order`
  void unplaced(String order, Payment payment, String cause);

  /// The number of refunds in each open state; states without any may be missing.
  Map<Refund.State, Long> open();
}
