package fairgate.account;

import static fairgate.platform.http.RouteLimits.ACT;
import static fairgate.platform.http.RouteLimits.LOGIN;
import static fairgate.platform.http.RouteLimits.READ;

import fairgate.account.AccountService.LoginOutcome;
import fairgate.account.PasskeyService.Passkey;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.JoinStep;
import fairgate.kernel.ProductId;
import fairgate.kernel.SignedIn;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Messages;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// `/api/v1/passkeys`: passkeys of the signed-in account, and sign-in with one.
/// `/api/challenge/passkey`: the step of risky joins that a passkey passes.
record PasskeyRoutes(
    PasskeyService service,
    AccountService accounts,
    SignInTickets tickets,
    PublicOrigin origin,
    JoinPass joins,
    Clock clock) {
  private static final String PATH = "/api/v1/passkeys";
  private static final String JOIN_PATH = "/api/challenge/passkey";
  private static final Duration RETRY_AFTER = Duration.ofMinutes(1);

  List<Route> routes() {
    return List.of(
        Route.blockingGet(PATH, this::list).limits(READ),
        Route.blockingPost(PATH + "/options", this::startRegistration).limits(ACT),
        Route.blockingPost(PATH, this::finishRegistration).limits(ACT),
        Route.blockingDelete(PATH + "/{id}", this::remove).limits(ACT),
        Route.blockingPost(PATH + "/login/options", this::startLogin).limits(LOGIN),
        Route.blockingPost(PATH + "/login", this::finishLogin).limits(LOGIN),
        Route.blockingPost(JOIN_PATH + "/options", this::startJoin).limits(LOGIN),
        Route.blockingPost(JOIN_PATH, this::finishJoin).limits(LOGIN));
  }

  private Reply signedIn(Request request, Function<SignedIn, Reply> step) {
    return accounts.signedIn(request).await().map(step).orElseGet(SignIn::refused);
  }

  private Reply list(Request request) {
    return signedIn(
        request,
        who -> {
          JsonText all = JsonText.array();
          service.list(who.account()).await().forEach(passkey -> all.add(json(passkey)));
          return Reply.json(200, JsonText.object().put("success", true).put("passkeys", all));
        });
  }

  private Reply startRegistration(Request request) {
    return signedIn(
        request,
        who ->
            answer(
                request,
                here(request)
                    .map(base -> service.startRegistration(base, who))
                    .orElseGet(PasskeyService.Outcome.NoAddress::new)));
  }

  private Reply finishRegistration(Request request) {
    return signedIn(
        request,
        who ->
            answer(
                request,
                here(request)
                    .map(
                        base ->
                            service.finishRegistration(
                                base,
                                who,
                                tickets.find(request, PasskeyService.REGISTRATION),
                                body(request)))
                    .orElseGet(PasskeyService.Outcome.NoAddress::new)));
  }

  private Reply startLogin(Request request) {
    return start(request, PasskeyService.LOGIN);
  }

  private Reply startJoin(Request request) {
    return start(request, PasskeyService.JOIN);
  }

  private Reply start(Request request, String kind) {
    return answer(
        request,
        here(request)
            .map(base -> service.startAssertion(base, kind))
            .orElseGet(PasskeyService.Outcome.NoAddress::new));
  }

  private Reply finishLogin(Request request) {
    return answer(
        request,
        here(request)
            .map(
                base ->
                    service.finishLogin(
                        base,
                        tickets.find(request, PasskeyService.LOGIN),
                        body(request),
                        SignIn.caller(request)))
            .orElseGet(PasskeyService.Outcome.NoAddress::new));
  }

  private Reply finishJoin(Request request) {
    String product = request.query("product_id");
    if (product == null || !ProductId.isValid(product)) {
      throw new InvalidRequest("product_id", "product_id");
    }
    ProductId sale = new ProductId(product);
    String asked = request.query("ticket");
    if (asked == null || !joins.isAsked(request, sale, asked)) {
      throw new InvalidRequest("ticket", "step_ticket");
    }
    PasskeyService.Outcome outcome =
        here(request)
            .map(
                base ->
                    service.finishJoin(
                        base,
                        sale,
                        tickets.find(request, PasskeyService.JOIN),
                        body(request),
                        SignIn.caller(request)))
            .orElseGet(PasskeyService.Outcome.NoAddress::new);
    Reply reply = answer(request, outcome);
    return outcome instanceof PasskeyService.Outcome.Proven
        ? joins.passed(reply, request, sale, JoinStep.PASSKEY)
        : reply;
  }

  private Reply remove(Request request) {
    return signedIn(
        request,
        who ->
            switch (service.remove(who, request.pathParam("id"))) {
              case REMOVED -> Reply.json(200, JsonText.object().put("success", true));
              case UNKNOWN -> Reply.refuse(ErrorCode.NOT_FOUND);
              case LAST -> Reply.refuse(ErrorCode.LAST_SIGN_IN);
            });
  }

  private Optional<String> here(Request request) {
    return origin.of(request);
  }

  /// The body as text, after the check that it is a JSON object.
  private static String body(Request request) {
    var _ = request.json();
    return new String(request.body(), StandardCharsets.UTF_8);
  }

  private Reply answer(Request request, PasskeyService.Outcome outcome) {
    return switch (outcome) {
      case PasskeyService.Outcome.Challenge(String options, SignInTickets.Ticket ticket) ->
          tickets.put(
              Reply.json(200, JsonText.object().put("success", true).putRaw("options", options)),
              ticket);
      case PasskeyService.Outcome.Registered(Passkey passkey) ->
          SignInTickets.remove(
              Reply.json(201, json(passkey).put("success", true)), PasskeyService.REGISTRATION);
      case PasskeyService.Outcome.Entered(LoginOutcome.Granted granted) ->
          entered(request, granted);
      case PasskeyService.Outcome.Proven() ->
          SignInTickets.remove(
              Reply.json(
                  200, JsonText.object().put("success", true).put("step", JoinStep.PASSKEY.word())),
              PasskeyService.JOIN);
      case PasskeyService.Outcome.Stale() ->
          throw new InvalidRequest("challenge", "passkey_challenge");
      case PasskeyService.Outcome.Refused() -> Reply.refuse(ErrorCode.PASSKEY_REFUSED);
      case PasskeyService.Outcome.Full(int max) ->
          throw new InvalidRequest("id", "passkeys_full", max);
      case PasskeyService.Outcome.TooMany(Duration retryAfter) ->
          Reply.refuse(Refusal.of(ErrorCode.RATE_LIMIT_EXCEEDED).retryAfter(retryAfter));
      case PasskeyService.Outcome.NoAddress() ->
          Reply.refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(RETRY_AFTER));
    };
  }

  private Reply entered(Request request, LoginOutcome.Granted granted) {
    Reply reply =
        Reply.json(
            200,
            JsonText.object()
                .put("success", true)
                .put("token", granted.token())
                .put("expires_at", granted.expiresAt().toString())
                .put("username", granted.account().username())
                .put("message", Messages.text(request.language(), "success.login")));
    return SessionCookie.put(
        SignInTickets.remove(reply, PasskeyService.LOGIN),
        request,
        granted.token(),
        Duration.between(clock.instant(), granted.expiresAt()));
  }

  private static JsonText json(Passkey passkey) {
    return JsonText.object()
        .put("id", passkey.id())
        .put("created_at", passkey.createdAt().toString())
        .put("used_at", passkey.usedAt() == null ? null : String.valueOf(passkey.usedAt()));
  }
}
