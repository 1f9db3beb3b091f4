package fairgate.sale.payment;

import java.time.Duration;

/// The outcome of a buyer's action on an order.
public sealed interface PaymentOutcome {
  /// Done, now or before, with the order's new state.
  record Done(Order order) implements PaymentOutcome {}

  /// There is no such order, or it belongs to another session.
  record NotFound() implements PaymentOutcome {}

  /// The state of the order does not allow the action.
  record Conflict(Order order) implements PaymentOutcome {}

  /// The provider did not answer; nothing changed.
  record Unanswered(Duration retryAfter) implements PaymentOutcome {}

  /// The provider of this server does not support the action.
  record NotOffered() implements PaymentOutcome {}
}
