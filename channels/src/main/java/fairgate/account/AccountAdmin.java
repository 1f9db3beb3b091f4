package fairgate.account;

import static fairgate.kernel.Role.OWNER;

import fairgate.kernel.ErrorCode;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import java.util.List;

/// `/api/admin/accounts`: resets passwords and deletes accounts.
final class AccountAdmin {
  private final CredentialService credentials;

  AccountAdmin(CredentialService credentials) {
    this.credentials = credentials;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingPost("/api/admin/accounts/{username}/reset", admin.guard(this::reset))
            .roles(OWNER),
        Route.blockingDelete("/api/admin/accounts/{username}", admin.guard(this::delete))
            .roles(OWNER)
            .withReason(true));
  }

  /// The response shows the token once. The operator hands it to the account's owner.
  private Reply reset(Request request) {
    return credentials
        .makeReset(request.pathParam("username"))
        .map(
            made ->
                Reply.json(
                        200,
                        JsonText.object()
                            .put("success", true)
                            .put("token", made.token())
                            .put("expires_at", made.expiresAt().toString())
                            .bytes())
                    .header("cache-control", "no-store"))
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND)));
  }

  private Reply delete(Request request) {
    return credentials.deleteByName(request.pathParam("username"))
        ? Reply.json(200, JsonText.object().put("success", true).bytes())
        : Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND));
  }
}
