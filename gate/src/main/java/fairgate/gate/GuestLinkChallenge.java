package fairgate.gate;

import fairgate.gate.ban.Ban;
import fairgate.gate.ban.BanService;
import fairgate.gate.challenge.ChallengeContext;
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

/// Verifies the challenge of a guest who makes a short link. Thread-safe; never blocks.
public final class GuestLinkChallenge {
  /// The prefix of the Redis keys of used solutions.
  private static final String KEY = "links:challenge:";

  private static final Duration SOON = Duration.ofSeconds(1);

  private final ChallengeProvider challenge;
  private final BanService bans;
  private final SingleUse used;

  public GuestLinkChallenge(ChallengeProvider challenge, BanService bans, SingleUse used) {
    this.challenge = challenge;
    this.bans = bans;
    this.used = used;
  }

  /// The refusal of a guest without a valid solution; empty when the guest may make a link. The
  /// solution is used up, whether the link is made or not. Fails while Redis cannot be reached. A
  /// guest whose appeal was granted needs no solution.
  ///
  /// @param token the solution; empty for none
  public Future<Optional<Refusal>> check(Request request, String token) {
    Caller caller = request.caller();
    if (bans.exemptions(caller.address(), () -> caller).anyMatch(Ban::sparesRooms)) {
      return Future.succeededFuture(Optional.empty());
    }
    if (token.isEmpty()) {
      return refused();
    }
    return challenge
        .verify(token, ChallengeContext.link(request.clientAddress(), request.device()))
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
    return used.use(KEY + once.nonce(), once.remember())
        .compose(
            isFirst -> isFirst ? Future.succeededFuture(Optional.<Refusal>empty()) : refused());
  }

  private static Future<Optional<Refusal>> refused() {
    return Future.succeededFuture(Optional.of(Refusal.of(ErrorCode.INVALID_TURNSTILE_TOKEN)));
  }
}
