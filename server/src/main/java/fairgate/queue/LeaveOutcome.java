package fairgate.queue;

import fairgate.kernel.ProductId;

/// What one request to leave came to.
public sealed interface LeaveOutcome {
  /// The place is given up, now or by an earlier call.
  record Left(ProductId product) implements LeaveOutcome {}

  /// The session has no place any more: it bought, or it expired.
  record NotInQueue() implements LeaveOutcome {}

  /// No such session.
  record UnknownSession() implements LeaveOutcome {}
}
