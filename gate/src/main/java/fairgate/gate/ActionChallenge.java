package fairgate.gate;

import fairgate.gate.ban.Ban;
import fairgate.gate.ban.BanService;
import fairgate.gate.challenge.ChallengeProvider;
import fairgate.kernel.Caller;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.platform.redis.SingleUse;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;

/// Verifies the challenge before an action outside of sales: a short link of a guest, a code for a
/// new password. Thread-safe; never blocks.
///
/// @param action see [ChallengeProvider.Context#of]
/// @param key prefix of the Redis keys of used solutions
public record ActionChallenge(
    ChallengeProvider challenge, BanService bans, SingleUse used, String action, String key) {
  private static final Duration SOON = Duration.ofSeconds(1);

  /// The refusal of a request without a valid solution; empty when the action may go on. A request
  /// without any solution does not count in rate limits. The solution is used up, whether the
  /// action succeeds or not. Fails while Redis cannot be reached. A caller whose appeal was granted
  /// needs no solution.
  ///
  /// @param token the solution; empty for none
  public Future<Optional<Refusal>> check(Request request, String token) {
    Caller caller = request.caller();
    if (bans.exemptions(caller.address(), () -> caller).anyMatch(Ban::sparesRooms)) {
      return Future.succeededFuture(Optional.empty());
    }
    if (token.isEmpty()) {
      // Otherwise who does not know of the challenge would use up the limit before the first link.
      request.uncount();
      return Future.succeededFuture(
          Optional.of(
              Refusal.of(ErrorCode.CHALLENGE_REQUIRED)
                  .with("field", "turnstile_token")
                  .with("challenge", "/api/challenge?action=" + action)));
    }
    return challenge
        .verify(
            token, ChallengeProvider.Context.of(action, request.clientAddress(), request.device()))
        .compose(
            result ->
                switch (result) {
                  case ChallengeResult.Accepted(ChallengeResult.SingleUse once) ->
                      once == null ? Future.succeededFuture(Optional.empty()) : use(once);
                  case ChallengeResult.Rejected _ -> refused();
                  case ChallengeResult.Unavailable _ ->
                      Future.succeededFuture(
                          Optional.of(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(SOON)));
                });
  }

  private Future<Optional<Refusal>> use(ChallengeResult.SingleUse once) {
    return used.use(key + once.nonce(), once.remember())
        .compose(
            isFirst -> isFirst ? Future.succeededFuture(Optional.<Refusal>empty()) : refused());
  }

  private static Future<Optional<Refusal>> refused() {
    return Future.succeededFuture(Optional.of(Refusal.of(ErrorCode.INVALID_TURNSTILE_TOKEN)));
  }
}
