package fairgate.sale.payment;

/// What a payment did to its order.
public sealed interface ConfirmOutcome {
  /// The order is paid now.
  ///
  /// @param late whether its reservation had ended and the units were taken again
  record Confirmed(boolean late) implements ConfirmOutcome {}

  /// The order was paid with this very payment before; nothing changed.
  record AlreadyPaid() implements ConfirmOutcome {}

  /// The money goes back: a second payment, a wrong amount, or too late. A repeat says the same and
  /// changes nothing.
  record RefundDue() implements ConfirmOutcome {}

  /// No such order: somebody paid for nothing we know of.
  record UnknownOrder() implements ConfirmOutcome {}
}
