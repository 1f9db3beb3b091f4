package fairgate.account;

import static fairgate.platform.http.RouteLimits.LOGIN;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.SignedIn;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Messages;
import java.time.Duration;
import java.util.List;

/// `/api/v1/password`, `/api/v1/password/reset` and `/api/v1/me/delete`.
record CredentialRoutes(AccountService accounts, CredentialService credentials) {
  private static final int MAX_TEXT_LENGTH = 512;

  List<Route> routes() {
    return List.of(
        Route.blockingPost("/api/v1/password", this::change).limits(LOGIN),
        Route.blockingPost("/api/v1/password/reset", this::reset).limits(LOGIN),
        Route.blockingPost("/api/v1/me/delete", this::delete).limits(LOGIN));
  }

  private Reply change(Request request) {
    SignedIn who = accounts.signedIn(request).await().orElse(null);
    if (who == null) {
      return SignIn.refused();
    }
    JsonBody body = request.json();
    // Accounts without a password have nothing to give.
    String current =
        body.has("current_password") || credentials.hasPassword(who.account()).await()
            ? body.text("current_password", 1, MAX_TEXT_LENGTH)
            : "";
    String newPassword = body.text("new_password", 1, MAX_TEXT_LENGTH);
    return answer(
        request,
        credentials.change(who, current, newPassword, SignIn.caller(request)).await(),
        "success.password");
  }

  private Reply reset(Request request) {
    JsonBody body = request.json();
    String token = body.text("token", 1, MAX_TEXT_LENGTH);
    String newPassword = body.text("new_password", 1, MAX_TEXT_LENGTH);
    return answer(request, credentials.reset(token, newPassword).await(), "success.password");
  }

  private Reply delete(Request request) {
    SignedIn who = accounts.signedIn(request).await().orElse(null);
    if (who == null) {
      return SignIn.refused();
    }
    String password = request.json().text("password", 1, MAX_TEXT_LENGTH);
    CredentialService.Outcome outcome =
        credentials.delete(who, password, SignIn.caller(request)).await();
    Reply reply = answer(request, outcome, "success.account_deleted");
    return outcome instanceof CredentialService.Outcome.Done
        ? SessionCookie.put(reply, request, "", Duration.ZERO)
        : reply;
  }

  private static Reply answer(Request request, CredentialService.Outcome outcome, String done) {
    return switch (outcome) {
      case CredentialService.Outcome.Done(int sessions) ->
          Reply.json(
              200,
              JsonText.object()
                  .put("success", true)
                  .put("revoked", sessions)
                  .put("message", Messages.text(request.language(), done)));
      case CredentialService.Outcome.WrongPassword() ->
          SignIn.challenge(Reply.refuse(ErrorCode.INVALID_CREDENTIALS));
      case CredentialService.Outcome.TooMany(Duration retryAfter) ->
          Reply.refuse(Refusal.of(ErrorCode.RATE_LIMIT_EXCEEDED).retryAfter(retryAfter));
      case CredentialService.Outcome.PasswordRefused(String problem) ->
          throw new InvalidRequest(
              "new_password", problem, PasswordRules.SHORTEST, PasswordRules.MAX_LENGTH);
      case CredentialService.Outcome.TokenRefused() ->
          throw new InvalidRequest("token", "reset_token");
      case CredentialService.Outcome.Gone() -> SignIn.refused();
    };
  }
}
