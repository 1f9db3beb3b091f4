package fairgate.operator.access;

import fairgate.kernel.Audit;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Role;
import fairgate.platform.admin.Operator;
import fairgate.platform.http.Handler;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SameOrigin;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// Restricts the routes of the admin API to operators with a role of the route.
public final class AccessGuard {
  private static final int LONGEST_PATH = 200;

  /// Operators work on large tables and wait longer than buyers.
  private static final Duration SHORTEST_DEADLINE = Duration.ofSeconds(10);

  private final OperatorCredentials credentials;
  private final Audit audit;

  AccessGuard(OperatorCredentials credentials, Audit audit) {
    this.credentials = credentials;
    this.audit = audit;
  }

  /// A route of the admin API for operators only; routes outside it stay as they are. Callers
  /// without a session or token get 401, operators without a suitable role 403, before anything of
  /// the request is read.
  public Route restrict(Route route) {
    if (route.access() == null && !route.path().startsWith("/api/admin/")) {
      return route;
    }
    Handler.Blocking handler = route.blocking();
    if (handler == null) {
      throw new IllegalArgumentException("operators are looked up, which blocks: " + route.path());
    }
    Route.Access access = route.access() == null ? Route.Access.OWNERS : route.access();
    Handler.Blocking explained = access.needsReason() ? withReason(handler) : handler;
    Duration deadline = route.deadline();
    return route
        .withBlocking(request -> answer(explained, access, request))
        .withDeadline(deadline.compareTo(SHORTEST_DEADLINE) < 0 ? SHORTEST_DEADLINE : deadline);
  }

  private static Handler.Blocking withReason(Handler.Blocking handler) {
    return request -> {
      Operator operator = Operator.current().orElseThrow();
      if (operator.means() == Operator.Means.SESSION && !hasReason(request)) {
        throw new InvalidRequest("reason", "missing");
      }
      return handler.handle(request);
    };
  }

  private static boolean hasReason(Request request) {
    return request.query("reason") != null
        || (request.body().length > 0 && request.json().has("reason"));
  }

  /// Whether an operator who may read sales makes the request. Blocks.
  public boolean isOperator(Request request) {
    return credentials
        .find(request)
        .filter(operator -> operator.role().includes(Role.VIEWER))
        .filter(operator -> isSound(operator, request))
        .isPresent();
  }

  private Reply answer(Handler.Blocking handler, Route.Access access, Request request)
      throws Exception {
    Operator operator = credentials.find(request).orElse(null);
    if (operator == null) {
      return unauthorized();
    }
    if (!isSound(operator, request)) {
      return Reply.refuse(Refusal.of(ErrorCode.FORBIDDEN));
    }
    return access.permits(operator.role())
        ? operator.answer(handler, request)
        : forbidden(operator, access, request);
  }

  /// A browser sends the cookie also for pages of other sites, a program sends no origin. A request
  /// with a session must therefore come from our own pages, or be a read that no page has sent.
  private static boolean isSound(Operator operator, Request request) {
    if (operator.means() != Operator.Means.SESSION) {
      return true;
    }
    SameOrigin origin = SameOrigin.of(request);
    return request.method() == Method.GET ? origin != SameOrigin.FOREIGN : origin == SameOrigin.OWN;
  }

  private Reply forbidden(Operator operator, Route.Access access, Request request) {
    List<String> roles =
        Arrays.stream(Role.values()).filter(access::permits).map(Role::word).toList();
    String path = request.path();
    String shortened = path.substring(0, Math.min(LONGEST_PATH, path.length()));
    audit.note(
        new AuditEvent(
            AuditEvent.Kind.ADMIN,
            "role refused",
            request.caller(),
            Map.of(
                "operator", operator.name(),
                "route", request.method() + " " + shortened,
                "role", operator.role().word(),
                "request_id", request.requestId())));
    return Reply.refuse(
        Refusal.of(ErrorCode.ROLE_NOT_ALLOWED)
            .with("role", operator.role().word())
            .with("roles", roles));
  }

  private static Reply unauthorized() {
    return Reply.refuse(Refusal.of(ErrorCode.UNAUTHORIZED))
        .header("www-authenticate", "Bearer realm=\"fairgate\"");
  }
}
