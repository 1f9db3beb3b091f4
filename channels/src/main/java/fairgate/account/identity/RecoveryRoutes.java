package fairgate.account.identity;

import static fairgate.platform.http.RouteLimits.LOGIN;

import fairgate.account.Bulkhead;
import fairgate.account.CredentialService.Reset;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// `/api/v1/password/code` and its confirmation: a reset token for the owner of a telephone or an
/// e-mail address.
record RecoveryRoutes(PasswordRecovery recovery, Bulkhead bulkhead) {
  private static final int MAX_CONTACT_LENGTH = 254;

  List<Route> routes() {
    return List.of(
        Route.post("/api/v1/password/code", this::send).limits(LOGIN),
        Route.post("/api/v1/password/code/confirm", this::confirm).limits(LOGIN));
  }

  /// Wrong input is told before the challenge, so that it uses no solution up.
  private Future<Reply> send(Request request) {
    String contact = contact(request);
    if (!recovery.isContact(contact)) {
      throw new InvalidRequest("contact", "contact");
    }
    String solution = request.json().optionalText("turnstile_token");
    return recovery
        .check(request, solution == null ? "" : solution)
        .compose(
            refusal ->
                refusal
                    .map(it -> Future.succeededFuture(Reply.refuse(it)))
                    .orElseGet(() -> send(request, contact)));
  }

  private Future<Reply> send(Request request, String contact) {
    return bulkhead
        .run(() -> recovery.request(contact, request.address(), request.language()))
        .map(
            outcome ->
                CodeReplies.sent(
                    request,
                    outcome.orElseThrow(() -> new InvalidRequest("contact", "contact")),
                    "success.code_if_known"));
  }

  private Future<Reply> confirm(Request request) {
    String contact = contact(request);
    String code = CodeReplies.code(request.json());
    return bulkhead
        .run(() -> recovery.confirm(contact, code, request.address()))
        .map(RecoveryRoutes::confirmed);
  }

  private static Reply confirmed(PasswordRecovery.Outcome outcome) {
    return switch (outcome) {
      case PasswordRecovery.Outcome.Proven(Reset reset) ->
          Reply.json(
                  200,
                  JsonText.object()
                      .put("success", true)
                      .put("token", reset.token())
                      .put("expires_at", reset.expiresAt().toString()))
              .header("cache-control", "no-store");
      case PasswordRecovery.Outcome.WrongCode() -> Reply.refuse(ErrorCode.INVALID_CODE);
      case PasswordRecovery.Outcome.TooMany(Duration retryAfter) -> CodeReplies.tooMany(retryAfter);
    };
  }

  private static String contact(Request request) {
    return request.json().text("contact", 1, MAX_CONTACT_LENGTH);
  }
}
