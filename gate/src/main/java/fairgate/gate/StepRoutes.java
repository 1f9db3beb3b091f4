package fairgate.gate;

import static fairgate.platform.http.RouteLimits.ACT;

import fairgate.gate.challenge.ChallengeProvider;
import fairgate.gate.challenge.SliderChallenge.FirstUse;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.JoinStep;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/// `POST /api/challenge/pass`: takes the solution of a slider or of a harder challenge, and gives
/// the browser the pass of that step.
///
/// @param attempts counts an attempt at a slider: zero if it is granted, otherwise the time to
///   wait; never fails
record StepRoutes(
    JoinSteps steps,
    ChallengeProvider challenge,
    ChallengeProvider slider,
    Function<Request, Future<Duration>> attempts,
    FirstUse used) {
  private static final String USED = "challenge:pass:";
  private static final int LONGEST_TOKEN = 4_096;
  private static final int LONGEST_TICKET = 300;
  private static final Duration SOON = Duration.ofSeconds(1);

  List<Route> routes() {
    return List.of(Route.post("/api/challenge/pass", this::pass).limits(ACT));
  }

  private Future<Reply> pass(Request request) {
    JsonBody body = request.json();
    String product = body.text("product_id");
    if (!ProductId.isValid(product)) {
      throw new InvalidRequest("product_id", "product_id");
    }
    ProductId sale = new ProductId(product);
    JoinStep step =
        JoinStep.named(body.text("step"))
            .filter(named -> named.compareTo(JoinStep.SLIDER) <= 0)
            .orElseThrow(() -> new InvalidRequest("step", "not_one_of", "work, slider"));
    String token = body.text("token", 1, LONGEST_TOKEN);
    JoinStep asked =
        steps
            .ticket(body.text("ticket", 1, LONGEST_TICKET), request, sale)
            .map(JoinSteps.Ticket::step)
            .orElseThrow(() -> new InvalidRequest("ticket", "step_ticket"));
    return counted(request, step)
        .compose(
            wait ->
                wait.isZero()
                    ? isSolved(request, sale, step, token)
                        .map(
                            isSolved ->
                                isSolved
                                    ? passed(request, sale, asked, step)
                                    : Reply.refuse(ErrorCode.INVALID_TURNSTILE_TOKEN))
                    : Future.succeededFuture(
                        Reply.refuse(Refusal.of(ErrorCode.RATE_LIMIT_EXCEEDED).retryAfter(wait))));
  }

  /// A slider can be guessed, and others at the address may have used up the tries. A proof of work
  /// pays for itself and stays open for everybody.
  private Future<Duration> counted(Request request, JoinStep step) {
    return step == JoinStep.SLIDER
        ? attempts.apply(request)
        : Future.succeededFuture(Duration.ZERO);
  }

  /// An easier step than the one that is needed gives a place behind the others.
  private Reply passed(Request request, ProductId sale, JoinStep asked, JoinStep step) {
    return JoinSteps.countsFor(steps.now(asked, request, sale), step)
        ? steps.passed(told(step), request, sale, step)
        : steps.behind(told(step), request, sale, step);
  }

  private Future<Boolean> isSolved(Request request, ProductId sale, JoinStep step, String token) {
    ChallengeProvider.Context context =
        ChallengeProvider.Context.join(sale, request.clientAddress(), request.device());
    return (step == JoinStep.SLIDER
            ? slider.verify(token, context)
            : challenge.verify(token, context.asHarder()))
        .compose(
            result ->
                switch (result) {
                  case ChallengeResult.Accepted(ChallengeResult.SingleUse once) ->
                      once == null
                          ? Future.succeededFuture(true)
                          : used.of(USED + once.nonce(), once.remember());
                  case ChallengeResult.Rejected _ -> Future.succeededFuture(false);
                  case ChallengeResult.Unavailable _ ->
                      Future.<Boolean>failedFuture(
                          new ServiceUnavailable("a step could not be verified", SOON));
                });
  }

  private static Reply told(JoinStep step) {
    return Reply.json(200, JsonText.object().put("success", true).put("step", step.word()));
  }
}
