package fairgate.account;

import static fairgate.platform.http.RouteLimits.ACT;
import static fairgate.platform.http.RouteLimits.LOGIN;
import static fairgate.platform.http.RouteLimits.READ;

import fairgate.kernel.ClientAddress;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SignedIn;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Metrics;
import fairgate.platform.text.Messages;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;

/// `/api/v1/register`, `/login`, `/logout`, `/me`, `/sessions`.
///
/// @param onRegistered gets the account and the address of a registration
record AccountRoutes(
    AccountService service,
    SignIn signIn,
    AccountMeters meters,
    Clock clock,
    BiConsumer<String, ClientAddress> onRegistered) {
  /// Longer texts are no names and no passwords of anybody.
  private static final int MAX_TEXT_LENGTH = 512;

  List<Route> routes() {
    return List.of(
        Route.post("/api/v1/register", this::register).limits(ACT.and("register")),
        Route.post("/api/v1/login", this::login).limits(LOGIN),
        Route.blockingPost("/api/v1/logout", this::logout).limits(ACT),
        Route.get("/api/v1/me", this::me).limits(READ),
        Route.get("/api/v1/sessions", this::sessions).limits(READ),
        Route.blockingDelete("/api/v1/sessions", this::revokeOthers).limits(ACT),
        Route.blockingDelete("/api/v1/sessions/{id}", this::revoke).limits(ACT));
  }

  private Future<Reply> register(Request request) {
    JsonBody body = request.json();
    String username = body.text("username", 1, MAX_TEXT_LENGTH);
    String password = body.text("password", 1, MAX_TEXT_LENGTH);
    return service.register(username, password).map(outcome -> registered(request, outcome));
  }

  private Reply registered(Request request, AccountService.RegisterOutcome outcome) {
    return switch (outcome) {
      case AccountService.RegisterOutcome.Registered(Account account) -> {
        onRegistered.accept(account.id(), request.address());
        yield Reply.json(
            201,
            json(account).put("message", Messages.text(request.language(), "success.register")));
      }
      case AccountService.RegisterOutcome.NameTaken() -> Reply.refuse(ErrorCode.USERNAME_TAKEN);
      case AccountService.RegisterOutcome.NameRefused(String problem) ->
          throw new InvalidRequest("username", problem, Username.SHORTEST, Username.MAX_LENGTH);
      case AccountService.RegisterOutcome.PasswordRefused(String problem) ->
          throw new InvalidRequest(
              "password", problem, PasswordRules.SHORTEST, PasswordRules.MAX_LENGTH);
    };
  }

  private Future<Reply> login(Request request) {
    JsonBody body = request.json();
    String username = body.text("username", 1, MAX_TEXT_LENGTH);
    String password = body.text("password", 1, MAX_TEXT_LENGTH);
    return service
        .login(username, password, SignIn.caller(request))
        .onComplete(meters::login)
        .map(outcome -> entered(request, outcome));
  }

  private Reply entered(Request request, AccountService.LoginOutcome outcome) {
    return switch (outcome) {
      case AccountService.LoginOutcome.Granted granted ->
          SessionCookie.put(
              Reply.json(
                  200,
                  JsonText.object()
                      .put("success", true)
                      .put("token", granted.token())
                      .put("expires_at", granted.expiresAt().toString())
                      .put("username", granted.account().username())
                      .put("message", Messages.text(request.language(), "success.login"))),
              request,
              granted.token(),
              Duration.between(clock.instant(), granted.expiresAt()));
      case AccountService.LoginOutcome.Refused() ->
          SignIn.challenge(Reply.refuse(ErrorCode.INVALID_CREDENTIALS));
      case AccountService.LoginOutcome.TooMany(Duration wait) -> tooMany(wait);
    };
  }

  /// Ends the session of the request. Succeeds without a session too.
  private Reply logout(Request request) {
    service.signedIn(request).await().ifPresent(who -> service.revoke(who, who.session()));
    Reply done =
        Reply.json(
            200,
            JsonText.object()
                .put("success", true)
                .put("message", Messages.text(request.language(), "success.logout")));
    return SessionCookie.put(done, request, "", Duration.ZERO);
  }

  private Future<Reply> me(Request request) {
    return signIn.required(
        request,
        who ->
            service
                .find(who.account())
                .map(
                    found ->
                        found
                            .map(
                                account ->
                                    Reply.json(200, json(account).put("session_id", who.session())))
                            .orElseGet(SignIn::refused)));
  }

  private Future<Reply> sessions(Request request) {
    return signIn.required(
        request, who -> service.sessions(who).map(all -> Reply.json(200, json(who, all))));
  }

  private Reply revoke(Request request) {
    String id = request.pathParam("id");
    return service
        .signedIn(request)
        .await()
        .map(who -> service.revoke(who, id) ? revoked(1) : Reply.refuse(ErrorCode.NOT_FOUND))
        .orElseGet(SignIn::refused);
  }

  private Reply revokeOthers(Request request) {
    return service
        .signedIn(request)
        .await()
        .map(who -> revoked(service.revokeOthers(who)))
        .orElseGet(SignIn::refused);
  }

  private static Reply revoked(int count) {
    return Reply.json(200, JsonText.object().put("success", true).put("revoked", count));
  }

  private static Reply tooMany(Duration wait) {
    return Reply.refuse(Refusal.of(ErrorCode.RATE_LIMIT_EXCEEDED).retryAfter(wait));
  }

  private static JsonText json(Account account) {
    return JsonText.object()
        .put("success", true)
        .put("account_id", account.id())
        .put("username", account.username())
        .put("created_at", account.createdAt().toString());
  }

  private static JsonText json(SignedIn who, List<AccountService.Session> all) {
    JsonText list = JsonText.array();
    for (AccountService.Session session : all) {
      list.add(
          JsonText.object()
              .put("id", session.id())
              .put("user_agent", session.agent())
              .put("created_at", session.createdAt().toString())
              .put("seen_at", session.seenAt().toString())
              .put("expires_at", session.expiresAt().toString())
              .put("current", session.id().equals(who.session())));
    }
    return JsonText.object().put("success", true).put("sessions", list);
  }

  static final class AccountMeters {
    private final Counter granted;
    private final Counter refused;
    private final Counter delayed;
    private final Counter busy;

    AccountMeters(Metrics metrics, Bulkhead bulkhead, PasswordHasher hasher) {
      this.granted = logins(metrics, "granted");
      this.refused = logins(metrics, "refused");
      this.delayed = logins(metrics, "delayed");
      this.busy = logins(metrics, "busy");
      metrics.gauge(
          "fairgate_login_places",
          "Logins and registrations under way on this node",
          bulkhead::used);
      metrics.gauge(
          "fairgate_password_hashes", "Password hashes computed by this node", hasher::runs);
    }

    private static Counter logins(Metrics metrics, String outcome) {
      return metrics.counter("fairgate.logins", "Tries to sign in", "outcome", outcome);
    }

    void login(AsyncResult<AccountService.LoginOutcome> result) {
      if (result.failed()) {
        if (result.cause() instanceof ServiceUnavailable) {
          busy.increment();
        }
        return;
      }
      switch (result.result()) {
        case AccountService.LoginOutcome.Granted _ -> granted.increment();
        case AccountService.LoginOutcome.Refused _ -> refused.increment();
        case AccountService.LoginOutcome.TooMany _ -> delayed.increment();
      }
    }
  }
}
