package fairgate.sale.payment;

import java.time.Duration;

/// What a buyer's step on an order came to.
public sealed interface PaymentOutcome {
  /// It is done, now or before; the order as it stands.
  record Done(Order order) implements PaymentOutcome {}

  /// There is no such order, or it is another session's.
  record NotFound() implements PaymentOutcome {}

  /// The order is past the point where the step makes sense.
  record Conflict(Order order) implements PaymentOutcome {}

  /// The provider did not answer; nothing changed.
  record Unanswered(Duration retryAfter) implements PaymentOutcome {}

  /// This server's provider does not offer the step.
  record NotOffered() implements PaymentOutcome {}
}
