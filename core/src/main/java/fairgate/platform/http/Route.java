package fairgate.platform.http;

import fairgate.kernel.Role;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A method and a path with their handler. Exactly one of the two handlers is set.
///
/// @param path literal segments and `{name}` placeholders, such as `/api/products/{id}`. A
///   placeholder matches one non-empty segment; `{name*}` as the last segment matches the rest of
///   the path.
/// @param action the action of the route; for a page's form, that of the API route
/// @param deadline the time that the handler may take before the caller receives 503
/// @param anyOrigin whether scripts of any origin may read all replies, errors included
/// @param crossSite whether changes that pages of other sites send are served; otherwise they are
///   refused before limits count them
/// @param limits that count its requests; null for those of the API route that a form stands for,
///   and those of [RouteLimits#ACT] where there is none
/// @param access of a route of the admin API; null for a route of another one
public record Route(
    Method method,
    String path,
    Action action,
    @Nullable Handler handler,
    Handler.@Nullable Blocking blocking,
    Body body,
    Duration deadline,
    boolean anyOrigin,
    boolean crossSite,
    @Nullable RouteLimits limits,
    @Nullable Access access) {
  /// The body limit of a route that sets none: 16 KiB.
  public static final int DEFAULT_BODY_LIMIT = 16 * 1024;

  /// The deadline of a route that sets none: 5 seconds. It covers the guards, the body and the
  /// handler, so several calls to engines that do not answer take no longer together.
  public static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(5);

  /// The deadline of forms whose own reply to an outage keeps what people wrote: 10 seconds, so
  /// that the calls of the handler time out before the request.
  public static final Duration FORM_DEADLINE = Duration.ofSeconds(10);

  /// How a route receives request bodies.
  ///
  /// @param limit the maximum length of a body in bytes; a longer body is refused with 400
  /// @param streamed whether a blocking handler runs before the body is complete, and reads it from
  ///   [Request#bodyStream]
  /// @param beforeLimits whether rate limits refuse the request after its body has arrived
  /// @param ignored whether the handler runs at once and a body is not read
  public record Body(int limit, boolean streamed, boolean beforeLimits, boolean ignored) {
    static final Body DEFAULT = new Body(DEFAULT_BODY_LIMIT, false, false, false);
  }

  /// The operators who may call a route. An owner may call all of them.
  ///
  /// @param roles that may call it, besides those that include one of them
  /// @param needsReason whether a call takes something from somebody, so that an operator who is
  ///   signed in has to give a reason. Tokens may give one: programs of earlier releases do not
  public record Access(Set<Role> roles, boolean needsReason) {
    public static final Access OWNERS = new Access(Set.of(Role.OWNER), false);

    public Access {
      roles = Set.copyOf(roles);
    }

    public boolean permits(Role role) {
      return role == Role.OWNER || roles.stream().anyMatch(role::includes);
    }
  }

  public Route {
    if ((handler == null) == (blocking == null)) {
      throw new IllegalArgumentException("a route has exactly one handler: " + path);
    }
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException("a path must begin with a slash: " + path);
    }
    if (body.limit() < 0 || deadline.isNegative()) {
      throw new IllegalArgumentException("limits must not be negative: " + path);
    }
    if (body.streamed() && blocking == null) {
      throw new IllegalArgumentException("a streamed body needs a blocking handler: " + path);
    }
  }

  public static Route get(String path, Handler handler) {
    return onLoop(Method.GET, path, handler);
  }

  public static Route post(String path, Handler handler) {
    return onLoop(Method.POST, path, handler);
  }

  public static Route put(String path, Handler handler) {
    return onLoop(Method.PUT, path, handler);
  }

  public static Route patch(String path, Handler handler) {
    return onLoop(Method.PATCH, path, handler);
  }

  public static Route delete(String path, Handler handler) {
    return onLoop(Method.DELETE, path, handler);
  }

  public static Route blockingGet(String path, Handler.Blocking handler) {
    return onThread(Method.GET, path, handler);
  }

  public static Route blockingPost(String path, Handler.Blocking handler) {
    return onThread(Method.POST, path, handler);
  }

  public static Route blockingPut(String path, Handler.Blocking handler) {
    return onThread(Method.PUT, path, handler);
  }

  public static Route blockingPatch(String path, Handler.Blocking handler) {
    return onThread(Method.PATCH, path, handler);
  }

  public static Route blockingDelete(String path, Handler.Blocking handler) {
    return onThread(Method.DELETE, path, handler);
  }

  public Route withBodyLimit(int bytes) {
    return with(new Body(bytes, body.streamed(), body.beforeLimits(), false));
  }

  public Route withStreamedBody(int bytes) {
    return with(new Body(bytes, true, false, false));
  }

  /// A copy whose rate limits refuse a request after its body has arrived, so that the page of a
  /// refusal can show a form as it was filled in. A flood sends its bodies, so their limit should
  /// be low. Running requests are counted before the body, as on other routes.
  public Route withBodyBeforeLimits() {
    return with(new Body(body.limit(), false, true, false));
  }

  /// A copy that needs no body and waits for none. After a request that has one, the connection is
  /// closed.
  public Route withoutBody() {
    return with(new Body(0, false, false, true));
  }

  public Route withDeadline(Duration longest) {
    return copy(action, body, longest, anyOrigin, crossSite, limits, access);
  }

  /// A copy whose replies scripts of any origin may read, without the visitor's cookies: the files
  /// of a public record. Errors are included, also those before and after the handler, so that a
  /// script sees the status of a refusal.
  public Route forAnyOrigin() {
    return copy(action, body, deadline, true, crossSite, limits, access);
  }

  /// A copy that also serves requests that pages of other sites make browsers send: a proxy sends
  /// their headers on, and nothing changes.
  public Route forCrossSite() {
    return copy(action, body, deadline, anyOrigin, true, limits, access);
  }

  /// A copy with the action of an API route, and with its limits.
  ///
  /// @param pattern the API route's path
  public Route doing(Method verb, String pattern) {
    return copy(new Action(verb, pattern), body, deadline, anyOrigin, crossSite, limits, access);
  }

  public Route limits(RouteLimits those) {
    return copy(action, body, deadline, anyOrigin, crossSite, those, access);
  }

  /// A copy for operators with one of the roles, with the limits of the admin API.
  public Route roles(Role... those) {
    Access operators = new Access(Set.of(those), false);
    return copy(action, body, deadline, anyOrigin, crossSite, RouteLimits.ADMIN, operators);
  }

  public Route withReason(boolean needed) {
    Access operators = new Access(Objects.requireNonNull(access).roles(), needed);
    return copy(action, body, deadline, anyOrigin, crossSite, limits, operators);
  }

  /// A copy with a handler in front of the present one.
  public Route withBlocking(Handler.Blocking front) {
    return new Route(
        method, path, action, null, front, body, deadline, anyOrigin, crossSite, limits, access);
  }

  private Route with(Body other) {
    return copy(action, other, deadline, anyOrigin, crossSite, limits, access);
  }

  private Route copy(
      Action does,
      Body bodies,
      Duration longest,
      boolean open,
      boolean fromAnySite,
      @Nullable RouteLimits counts,
      @Nullable Access operators) {
    return new Route(
        method,
        path,
        does,
        handler,
        blocking,
        bodies,
        longest,
        open,
        fromAnySite,
        counts,
        operators);
  }

  private static Route onLoop(Method method, String path, Handler handler) {
    return of(method, path, handler, null);
  }

  private static Route onThread(Method method, String path, Handler.Blocking handler) {
    return of(method, path, null, handler);
  }

  private static Route of(
      Method method, String path, @Nullable Handler handler, Handler.@Nullable Blocking blocking) {
    return new Route(
        method,
        path,
        new Action(method, path),
        handler,
        blocking,
        Body.DEFAULT,
        DEFAULT_DEADLINE,
        false,
        false,
        null,
        null);
  }
}
