package fairgate.queue;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Refusal;
import java.time.Duration;
import java.util.Map;

/// The outcome of an attempt to join. Only `Joined` and `SeatedBehind` have changed anything.
public sealed interface JoinOutcome {
  /// The caller has a place at the end of the waiting queue.
  ///
  /// @param position 0-based; -1 while the order is hidden, see `pre_queue.lua`
  /// @param life time until the session ends unless it makes another request
  record Joined(SessionId session, int position, Duration life) implements JoinOutcome {}

  /// The caller has a place behind those of lower risk, or one that waits for a review.
  ///
  /// @param members of the reply that explain it, with the `decision_id`
  record SeatedBehind(Joined joined, Seat seat, Map<String, Object> members)
      implements JoinOutcome {}

  /// The session, device or account already has a live place for this product.
  ///
  /// @param life time until a session of this sale ends when it makes a request now
  record AlreadyInQueue(SessionId session, Duration life) implements JoinOutcome {}

  sealed interface Refused extends JoinOutcome {
    /// The refusal to send, the same for the API and the pages.
    default Refusal refusal() {
      return switch (this) {
        case LimitReached() -> Refusal.of(ErrorCode.PURCHASE_LIMIT_REACHED);
        case NetworkLimitReached() -> Refusal.of(ErrorCode.NETWORK_LIMIT_REACHED);
        case NetworkCrowded() -> Refusal.of(ErrorCode.CHALLENGE_REQUIRED);
        case CoolingDown(Duration retryAfter, boolean missedTurn) ->
            Refusal.of(missedTurn ? ErrorCode.TURN_MISSED : ErrorCode.UNPAID_COOLDOWN)
                .retryAfter(retryAfter);
        case ChallengeRefused() -> Refusal.of(ErrorCode.INVALID_TURNSTILE_TOKEN);
        case HarderChallenge(Refusal explained) -> explained;
        case RefusedByGate(Refusal explained) -> explained;
        case ChallengeUnavailable() ->
            Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(Duration.ofSeconds(2));
        case ByDraw() -> Refusal.of(ErrorCode.SALE_BY_DRAW);
        case SaleClosed() -> Refusal.of(ErrorCode.SALE_CLOSED);
        case JoinsStopped() -> Refusal.of(ErrorCode.JOINS_STOPPED);
        case DepositRequired(Refusal explained) -> explained;
        case NoSuchProduct() -> Refusal.of(ErrorCode.PRODUCT_NOT_FOUND);
      };
    }
  }

  /// The user or the device already has all units it may have.
  record LimitReached() implements Refused {}

  /// The caller's network has the maximum number of live places, or of units.
  record NetworkLimitReached() implements Refused {}

  /// The caller's network has the maximum number of places or units for the usual challenge. A
  /// harder one gives a place.
  record NetworkCrowded() implements Refused {}

  /// The buyer missed a turn, or an earlier reservation expired unpaid or was cancelled by its
  /// buyer. Joining is refused until the pause ends.
  record CoolingDown(Duration retryAfter, boolean missedTurn) implements Refused {}

  /// The challenge token is missing, wrong, expired or used.
  record ChallengeRefused() implements Refused {}

  /// The join needs a challenge of a higher cost.
  record HarderChallenge(Refusal explained) implements Refused {}

  /// The gate refuses the join: its risk is too high, or its sale has a waiting room.
  record RefusedByGate(Refusal explained) implements Refused {}

  /// The challenge token could not be verified now.
  record ChallengeUnavailable() implements Refused {}

  /// The places of the sale are drawn by lot.
  record ByDraw() implements Refused {}

  record SaleClosed() implements Refused {}

  /// Nobody new may join. A caller with a place gets `AlreadyInQueue`.
  record JoinsStopped() implements Refused {}

  /// The sale needs a deposit, and the buyer has paid none that no place has had.
  record DepositRequired(Refusal explained) implements Refused {}

  record NoSuchProduct() implements Refused {}
}
