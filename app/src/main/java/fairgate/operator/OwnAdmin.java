package fairgate.operator;

import static fairgate.kernel.Role.CHECKIN;
import static fairgate.kernel.Role.VIEWER;

import fairgate.account.SignIn;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Role;
import fairgate.operator.access.AccessFeature;
import fairgate.operator.access.OperatorCredentials;
import fairgate.operator.access.OperatorCredentials.PersonalToken;
import fairgate.operator.access.OperatorCredentials.Session;
import fairgate.operator.access.OperatorSignIn;
import fairgate.operator.access.OperatorSignIn.PasswordOutcome;
import fairgate.operator.access.ProviderSignIn;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.Operator;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;

/// `/api/admin/me`, `/api/admin/sessions` and `/api/admin/tokens`: the caller, and the caller's own
/// sessions and tokens. Changes need a session: a token cannot make another one.
final class OwnAdmin {
  private static final int LONGEST_TEXT = 512;
  private static final int LONGEST_NAME = 100;
  private static final Duration DEFAULT_LIFE = Duration.ofDays(90);
  private static final Duration LONGEST_LIFE = Duration.ofDays(366);

  private final OperatorCredentials credentials;
  private final OperatorSignIn signIn;
  private final Optional<ProviderSignIn> provider;
  private final Clock clock;

  OwnAdmin(AccessFeature access, Clock clock) {
    this.credentials = access.credentials();
    this.signIn = access.signIn();
    this.provider = access.provider();
    this.clock = clock;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet("/api/admin/me", admin.guard(this::me)).roles(VIEWER, CHECKIN),
        Route.blockingPost(
                "/api/admin/me/password",
                admin.guard(
                    AdminInput.body("password", "one_time_code", "new_password"),
                    request -> withSession(request, this::changePassword)))
            .roles(VIEWER, CHECKIN),
        Route.blockingDelete(
                "/api/admin/me/provider",
                admin.guard(request -> withSession(request, this::unlink)))
            .roles(VIEWER, CHECKIN),
        Route.blockingGet(
                "/api/admin/sessions", admin.guard(request -> withSession(request, this::sessions)))
            .roles(VIEWER, CHECKIN),
        Route.blockingDelete(
                "/api/admin/sessions/{id}",
                admin.guard(request -> withSession(request, this::endSession)))
            .roles(VIEWER, CHECKIN),
        Route.blockingGet(
                "/api/admin/tokens", admin.guard(request -> withSession(request, this::tokens)))
            .roles(VIEWER, CHECKIN),
        Route.blockingPost(
                "/api/admin/tokens",
                admin.guard(
                    AdminInput.body("name", "role", "expires_at"),
                    request -> withSession(request, this::create)))
            .roles(VIEWER, CHECKIN),
        Route.blockingDelete(
                "/api/admin/tokens/{id}",
                admin.guard(request -> withSession(request, this::revoke)))
            .roles(VIEWER, CHECKIN));
  }

  private static Reply withSession(Request request, BiFunction<Request, Operator, Reply> act) {
    Operator operator = Operator.current().orElseThrow();
    return operator.means() == Operator.Means.SESSION
        ? act.apply(request, operator)
        : Reply.refuse(Refusal.of(ErrorCode.CONSOLE_SESSION_REQUIRED));
  }

  private Reply me(Request request) {
    Operator operator = Operator.current().orElseThrow();
    return Reply.json(
        200,
        JsonText.object()
            .put("id", operator.id())
            .put("name", operator.name())
            .put("role", operator.role().word())
            .put("means", operator.means().name().toLowerCase(Locale.ROOT))
            .put("provider", provider.map(ProviderSignIn::label).orElse(null))
            .put("provider_linked", isLinked(operator))
            .bytes());
  }

  private boolean isLinked(Operator operator) {
    String id = operator.id();
    return id != null && provider.map(signIn -> signIn.isLinked(id)).orElse(false);
  }

  /// A repeat has the same response. An operator without a password keeps the link.
  private Reply unlink(Request request, Operator operator) {
    boolean isLinked = isLinked(operator);
    boolean isUnlinked = provider.map(signIn -> signIn.unlink(id(operator))).orElse(false);
    return isLinked && !isUnlinked
        ? Reply.refuse(Refusal.of(ErrorCode.LAST_SIGN_IN))
        : OperatorAdmin.done();
  }

  private Reply changePassword(Request request, Operator operator) {
    JsonBody body = request.json();
    PasswordOutcome outcome =
        signIn.changePassword(
            operator,
            body.text("password", 1, LONGEST_TEXT),
            body.text("one_time_code", 1, LONGEST_TEXT),
            body.text("new_password", 1, LONGEST_TEXT),
            SignIn.caller(request));
    return switch (outcome) {
      case PasswordOutcome.Changed() -> OperatorAdmin.done();
      case PasswordOutcome.Refused() -> Reply.refuse(Refusal.of(ErrorCode.INVALID_CREDENTIALS));
      case PasswordOutcome.PasswordRefused(String problem) ->
          throw new InvalidRequest("new_password", problem, 8, 128);
      case PasswordOutcome.TooMany(Duration retryAfter) ->
          Reply.refuse(Refusal.of(ErrorCode.RATE_LIMIT_EXCEEDED).retryAfter(retryAfter));
    };
  }

  private Reply sessions(Request request, Operator operator) {
    JsonText all = JsonText.array();
    credentials
        .sessions(id(operator))
        .forEach(each -> all.add(json(each, Objects.requireNonNull(operator.session()))));
    return Reply.json(200, JsonText.object().put("sessions", all).bytes());
  }

  private Reply endSession(Request request, Operator operator) {
    return credentials.endSession(id(operator), request.pathParam("id"))
        ? OperatorAdmin.done()
        : unknown();
  }

  private Reply tokens(Request request, Operator operator) {
    JsonText all = JsonText.array();
    credentials.tokens(id(operator)).forEach(each -> all.add(json(each)));
    return Reply.json(200, JsonText.object().put("tokens", all).bytes());
  }

  /// The response shows the token once.
  private Reply create(Request request, Operator operator) {
    JsonBody body = request.json();
    String name = body.name("name", 1, LONGEST_NAME);
    Role role = body.has("role") ? OperatorAdmin.role(body) : operator.role();
    if (!operator.role().includes(role)) {
      return Reply.refuse(
          Refusal.of(ErrorCode.ROLE_NOT_ALLOWED)
              .with("role", operator.role().word())
              .with("roles", List.of(role.word(), Role.OWNER.word())));
    }
    return credentials
        .createToken(id(operator), name, role, expiry(body))
        .map(made -> Reply.json(201, json(made.token()).put("token", made.secret()).bytes()))
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.OPERATOR_LIMIT_REACHED)));
  }

  /// Operators revoke their own tokens, owners those of everybody. A repeat has the same response.
  private Reply revoke(Request request, Operator operator) {
    PersonalToken token =
        credentials
            .token(request.pathParam("id"))
            .filter(one -> one.operatorId().equals(operator.id()) || operator.role() == Role.OWNER)
            .orElse(null);
    if (token == null) {
      return unknown();
    }
    credentials.revokeToken(token.id());
    return OperatorAdmin.done();
  }

  private Instant expiry(JsonBody body) {
    Instant now = clock.instant();
    String text = body.optionalText("expires_at");
    if (text == null) {
      return now.plus(DEFAULT_LIFE);
    }
    Instant expiry;
    try {
      expiry = Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new InvalidRequest("expires_at", "not_instant");
    }
    if (!expiry.isAfter(now) || expiry.isAfter(now.plus(LONGEST_LIFE))) {
      throw new InvalidRequest("expires_at", "out_of_range", now, now.plus(LONGEST_LIFE));
    }
    return expiry;
  }

  private static String id(Operator operator) {
    return Objects.requireNonNull(operator.id());
  }

  private static Reply unknown() {
    return Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND));
  }

  /// @param current the id of the session that makes the request; empty for none
  static JsonText json(Session session, String current) {
    return JsonText.object()
        .put("id", session.id())
        .put("agent", session.agent())
        .put("created_at", session.createdAt().toString())
        .put("seen_at", session.seenAt().toString())
        .put("expires_at", session.expiresAt().toString())
        .put("current", session.id().equals(current));
  }

  static JsonText json(PersonalToken token) {
    return JsonText.object()
        .put("id", token.id())
        .put("name", token.name())
        .put("role", token.role().word())
        .put("created_at", token.createdAt().toString())
        .put("expires_at", token.expiresAt().toString())
        .put("used_at", OperatorAdmin.text(token.usedAt()))
        .put("revoked_at", OperatorAdmin.text(token.revokedAt()));
  }
}
