package fairgate.sale.payment;

/// The outcome of booking a payment on its order.
public sealed interface ConfirmOutcome {
  /// The order is paid now.
  ///
  /// @param late whether its reservation had ended and the units were taken again
  record Confirmed(boolean late) implements ConfirmOutcome {}

  /// The order was paid with this payment before; nothing changed.
  record AlreadyPaid() implements ConfirmOutcome {}

  /// The payment is refunded: it is a second one, has a wrong amount, or is too late. A repeat
  /// returns the same and changes nothing.
  record RefundDue() implements ConfirmOutcome {}

  /// The payment belongs to another order. The order is unchanged, and the payment is on the list
  /// of refunds that a person has to decide.
  record OtherOrder() implements ConfirmOutcome {}

  record UnknownOrder() implements ConfirmOutcome {}
}
