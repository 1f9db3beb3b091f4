package fairgate.operator;

import static fairgate.kernel.Role.OWNER;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.Role;
import fairgate.operator.access.OperatorCredentials;
import fairgate.operator.access.OperatorService;
import fairgate.operator.access.OperatorService.AddOutcome;
import fairgate.operator.access.OperatorService.ChangeOutcome;
import fairgate.operator.access.OperatorService.OneTimeLink;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.admin.Operator;
import fairgate.platform.http.Handler;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `/api/admin/operators`: adds, changes and removes operators. Personal tokens cannot change
/// operators, so that a token cannot outlive its expiry by making another operator.
final class OperatorAdmin {
  private static final String ONE = "/api/admin/operators/{id}";
  private static final int LONGEST_REASON = 500;
  private static final int LONGEST_NAME = 200;

  private final OperatorService operators;
  private final OperatorCredentials credentials;

  OperatorAdmin(OperatorService operators, OperatorCredentials credentials) {
    this.operators = operators;
    this.credentials = credentials;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet("/api/admin/operators", admin.guard(this::list)).roles(OWNER),
        Route.blockingPost(
                "/api/admin/operators",
                admin.guard(AdminInput.body("name", "role"), withoutTokens(this::add)))
            .roles(OWNER),
        Route.blockingGet(ONE, admin.guard(this::one)).roles(OWNER),
        Route.blockingPatch(
                ONE, admin.guard(AdminInput.body("role", "reason"), withoutTokens(this::change)))
            .roles(OWNER)
            .withReason(true),
        Route.blockingDelete(
                ONE, admin.guard(AdminInput.query("reason"), withoutTokens(this::remove)))
            .roles(OWNER)
            .withReason(true),
        Route.blockingPost(
                ONE + "/link", admin.guard(AdminInput.body("reason"), withoutTokens(this::renew)))
            .roles(OWNER)
            .withReason(true),
        Route.blockingDelete(
                ONE + "/sessions",
                admin.guard(AdminInput.query("reason"), withoutTokens(this::endSessions)))
            .roles(OWNER)
            .withReason(true));
  }

  /// Refuses personal tokens.
  static Handler.Blocking withoutTokens(Handler.Blocking handler) {
    return request ->
        Operator.current().orElseThrow().means() == Operator.Means.TOKEN
            ? Reply.refuse(Refusal.of(ErrorCode.CONSOLE_SESSION_REQUIRED))
            : handler.handle(request);
  }

  private Reply list(Request request) {
    JsonText all = JsonText.array();
    operators.all().forEach(operator -> all.add(json(operator)));
    return Reply.json(200, JsonText.object().put("operators", all).bytes());
  }

  private Reply one(Request request) {
    String id = request.pathParam("id");
    return operators
        .find(id)
        .map(
            operator -> {
              JsonText sessions = JsonText.array();
              credentials.sessions(id).forEach(each -> sessions.add(OwnAdmin.json(each, "")));
              JsonText tokens = JsonText.array();
              credentials.tokens(id).forEach(each -> tokens.add(OwnAdmin.json(each)));
              return Reply.json(
                  200, json(operator).put("sessions", sessions).put("tokens", tokens).bytes());
            })
        .orElseGet(OperatorAdmin::unknown);
  }

  private Reply add(Request request) {
    JsonBody body = request.json();
    String name = body.text("name", 1, LONGEST_NAME);
    Role role = role(body);
    return switch (operators.add(name, role, AdminGuard.actor(request))) {
      case AddOutcome.Added(OperatorService.Entry operator, OneTimeLink link) ->
          Reply.json(201, json(operator).put("link", link.path()).bytes());
      case AddOutcome.NameTaken() -> Reply.refuse(Refusal.of(ErrorCode.OPERATOR_EXISTS));
      case AddOutcome.NameRefused() -> throw new InvalidRequest("name", "username", 3, 32);
      case AddOutcome.TooMany() -> Reply.refuse(Refusal.of(ErrorCode.OPERATOR_LIMIT_REACHED));
    };
  }

  private Reply change(Request request) {
    JsonBody body = request.json();
    Role role = role(body);
    String _ = AdminInput.reason(body, LONGEST_REASON);
    String id = request.pathParam("id");
    return changed(operators.changeRole(id, role), id);
  }

  private Reply remove(Request request) {
    reason(request);
    return switch (operators.remove(request.pathParam("id"))) {
      case DONE -> done();
      case UNKNOWN -> unknown();
      case LAST_OWNER -> lastOwner();
    };
  }

  /// The response shows the link once.
  private Reply renew(Request request) {
    String _ = AdminInput.reason(request.json(), LONGEST_REASON);
    return operators
        .renewLink(request.pathParam("id"))
        .map(
            link ->
                Reply.json(
                    200,
                    JsonText.object()
                        .put("link", link.path())
                        .put("expires_at", link.expiresAt().toString())
                        .bytes()))
        .orElseGet(OperatorAdmin::unknown);
  }

  private Reply endSessions(Request request) {
    reason(request);
    String id = request.pathParam("id");
    if (operators.find(id).isEmpty()) {
      return unknown();
    }
    credentials.endSessions(id);
    return done();
  }

  private Reply changed(ChangeOutcome outcome, String id) {
    return switch (outcome) {
      case DONE ->
          operators
              .find(id)
              .map(operator -> Reply.json(200, json(operator).bytes()))
              .orElseGet(OperatorAdmin::unknown);
      case UNKNOWN -> unknown();
      case LAST_OWNER -> lastOwner();
    };
  }

  /// The reason of an act that takes something from somebody.
  private static void reason(Request request) {
    String reason = request.query("reason");
    if (reason == null) {
      throw new InvalidRequest("reason", "missing");
    }
  }

  static Role role(JsonBody body) {
    return AdminQuery.word("role", body.text("role"), Role.values(), Role::word);
  }

  static Reply done() {
    return Reply.json(200, JsonText.object().put("success", true).bytes());
  }

  private static Reply unknown() {
    return Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND));
  }

  private static Reply lastOwner() {
    return Reply.refuse(Refusal.of(ErrorCode.LAST_OWNER));
  }

  private static JsonText json(OperatorService.Entry operator) {
    return JsonText.object()
        .put("id", operator.id())
        .put("name", operator.name())
        .put("role", operator.role().word())
        .put("enrolled", operator.enrolled())
        .put("created_at", operator.createdAt().toString())
        .put("created_by", operator.createdBy())
        .put("signed_in_at", text(operator.signedInAt()))
        .put("link_expires_at", text(operator.linkExpiresAt()));
  }

  static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }
}
