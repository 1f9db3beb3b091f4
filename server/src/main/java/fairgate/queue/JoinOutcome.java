package fairgate.queue;

import fairgate.kernel.SessionId;
import java.time.Duration;

/// The outcome of an attempt to join. Only `Joined` has changed anything.
public sealed interface JoinOutcome {
  /// The caller has a place at the end of the waiting queue.
  ///
  /// @param position 0-based
  /// @param life time until the session ends unless it makes another request
  record Joined(SessionId session, int position, Duration life) implements JoinOutcome {}

  /// The session, device or account already has a live place for this product.
  ///
  /// @param life time until a session of this sale ends when it makes a request now
  record AlreadyInQueue(SessionId session, Duration life) implements JoinOutcome {}

  /// The user or the device already has all units it may have.
  record LimitReached() implements JoinOutcome {}

  /// An earlier reservation expired unpaid or was cancelled by its buyer. Joining is refused until
  /// the cooldown ends.
  record CoolingDown(Duration rest) implements JoinOutcome {}

  /// The challenge token is missing, wrong, expired or used.
  record ChallengeRefused() implements JoinOutcome {}

  /// The challenge token could not be verified now.
  record ChallengeUnavailable() implements JoinOutcome {}

  /// The sale is over.
  record SaleClosed() implements JoinOutcome {}

  /// There is no sale of this product.
  record NoSuchProduct() implements JoinOutcome {}
}
