package fairgate.sale.payment;

/// The outcome of a request to refund a part of an order.
public sealed interface PartialRefundOutcome {
  /// The server pays the part back, now or requested before. The order stays paid.
  ///
  /// @param refundable what can still be refunded, in minor units
  record Requested(Order order, long refundable) implements PartialRefundOutcome {}

  /// The part is larger than what can still be refunded; nothing changed.
  record TooLarge(long refundable) implements PartialRefundOutcome {}

  /// The idempotency key was used for another amount of this order; nothing changed.
  record OtherAmount() implements PartialRefundOutcome {}

  /// The order cannot be refunded; nothing changed.
  record Refused(PaymentOutcome.Refused reason) implements PartialRefundOutcome {}
}
