package fairgate.queue;

import fairgate.kernel.SessionId;
import java.time.Duration;

/// What one attempt to join came to. Only `Joined` has changed anything.
public sealed interface JoinOutcome {
  /// A place at the end of the waiting queue; the position is 0-based.
  record Joined(SessionId session, int position) implements JoinOutcome {}

  /// The session or the device has a live place for this product already.
  record AlreadyInQueue(SessionId session) implements JoinOutcome {}

  /// The user or the device holds as many units as one may.
  record LimitReached() implements JoinOutcome {}

  /// An earlier reservation was not paid; joining is barred for a while.
  record CoolingDown(Duration rest) implements JoinOutcome {}

  /// The challenge token is missing, wrong, expired or used.
  record ChallengeRefused() implements JoinOutcome {}

  /// Nobody could check the challenge token now.
  record ChallengeUnavailable() implements JoinOutcome {}

  /// The sale is over.
  record SaleClosed() implements JoinOutcome {}

  /// There is no sale for this product.
  record NoSuchProduct() implements JoinOutcome {}
}
