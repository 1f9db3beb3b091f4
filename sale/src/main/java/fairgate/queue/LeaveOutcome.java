package fairgate.queue;

import fairgate.kernel.ProductId;

/// The outcome of a request to leave.
public sealed interface LeaveOutcome {
  /// The place is given up, now or by an earlier call.
  record Left(ProductId product) implements LeaveOutcome {}

  /// The session has no place any more: it has bought, or it expired.
  record NotInQueue() implements LeaveOutcome {}

  record UnknownSession() implements LeaveOutcome {}
}
