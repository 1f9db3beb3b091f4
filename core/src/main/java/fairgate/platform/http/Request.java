package fairgate.platform.http;

import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.SignedIn;
import fairgate.platform.http.stream.ClientConnection;
import fairgate.platform.text.Language;
import fairgate.platform.text.Languages;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A request. Values are parsed from the head on first use. Used by one thread at a time.
public final class Request {
  static final CharSequence ID_HEADER = HttpHeaders.createOptimized("x-request-id");

  private static final CharSequence SEC_PURPOSE = HttpHeaders.createOptimized("sec-purpose");
  private static final CharSequence PURPOSE = HttpHeaders.createOptimized("purpose");
  private static final byte[] NO_BODY = {};
  private static final int MAX_ID_LENGTH = 64;
  private static final int MIN_ID_LENGTH = 8;

  private final HttpServerRequest raw;
  private final HttpServerContext serverContext;
  private final Method method;
  private final Router.Target target;
  private final ClientConnection client;
  private byte[] body = NO_BODY;
  private @Nullable JsonBody json;
  private @Nullable InputStream bodyStream;
  private @Nullable Language language;
  private @Nullable String requestId;
  private @Nullable Device device;
  private @Nullable ClientAddress address;
  private boolean sessionRead;
  private @Nullable String session;
  private @Nullable Route route;
  private @Nullable Future<Optional<SignedIn>> signedIn;
  private @Nullable Runnable unserved;
  private boolean isUnserved;
  private volatile boolean isCounted = true;

  Request(
      HttpServerRequest raw,
      HttpServerContext serverContext,
      Method method,
      Router.Target target,
      ClientConnection client) {
    this.raw = raw;
    this.serverContext = serverContext;
    this.method = method;
    this.target = target;
    this.client = client;
  }

  /// The method of the route; GET for HEAD requests.
  public Method method() {
    return method;
  }

  public String methodSent() {
    return raw.method().name();
  }

  /// Path and query as sent.
  public String target() {
    return raw.uri();
  }

  public boolean isHead() {
    return raw.method().equals(HttpMethod.HEAD);
  }

  /// The decoded path, without the query.
  public String path() {
    return target.path();
  }

  /// The decoded value of a placeholder in the route's path. Throws IllegalArgumentException when
  /// the route has no such placeholder.
  public String pathParam(String name) {
    return target.param(name);
  }

  /// The first decoded value of a query parameter; null when absent.
  public @Nullable String query(String name) {
    List<String> query = target.query();
    for (int i = 0; i < query.size(); i += 2) {
      if (query.get(i).equals(name)) {
        return query.get(i + 1);
      }
    }
    return null;
  }

  /// All decoded values of a query parameter in their order; empty when absent.
  public List<String> queries(String name) {
    List<String> query = target.query();
    List<String> values = List.of();
    for (int i = 0; i < query.size(); i += 2) {
      if (query.get(i).equals(name)) {
        values = values.isEmpty() ? new ArrayList<>(2) : values;
        values.add(query.get(i + 1));
      }
    }
    return values;
  }

  /// The decoded names of all query parameters in their order, with repeats.
  public List<String> queryNames() {
    List<String> query = target.query();
    List<String> names = new ArrayList<>(query.size() / 2);
    for (int i = 0; i < query.size(); i += 2) {
      names.add(query.get(i));
    }
    return names;
  }

  /// The first value of a header; the case of the name does not matter.
  public @Nullable String header(String name) {
    return raw.getHeader(name);
  }

  /// The only value of a header that the trusted proxy at the other end of the connection set about
  /// its client; null when the peer is not a trusted proxy, or sent the header more than once.
  /// Anybody else could have invented the value. The proxy must replace what its clients send.
  public @Nullable String vouched(String name) {
    if (!serverContext.forwarding().isTrustedProxy(client.peer(serverContext.forwarding()))) {
      return null;
    }
    List<String> values = raw.headers().getAll(name);
    return values.size() == 1 ? values.getFirst() : null;
  }

  /// The `Accept` header as sent.
  @Nullable String accept() {
    return raw.getHeader(HttpHeaders.ACCEPT);
  }

  /// All values of a header in their order; empty when absent.
  public List<String> headers(String name) {
    return raw.headers().getAll(name);
  }

  /// The value of a cookie set by [Reply#cookie]; null when absent. Over https its name has the
  /// prefix `__Host-`, and a cookie without the prefix is ignored, because a neighbouring host
  /// could have set it.
  public @Nullable String cookie(String name) {
    return exactCookie(isSecure() ? Cookies.HOST_PREFIX + name : name);
  }

  /// The value of the cookie with exactly this name; null when absent.
  public @Nullable String exactCookie(String name) {
    return Cookies.find(raw.getHeader(HttpHeaders.COOKIE), name);
  }

  /// Whether the browser uses https, to this server or to a trusted proxy that reports it.
  public boolean isSecure() {
    return raw.isSSL()
        || serverContext.forwarding().isSecure(client.peer(serverContext.forwarding()), raw);
  }

  /// The session id as sent; null when the request names none. The first call, made before any
  /// guard, throws [InvalidRequest] when the request names two different sessions; later calls then
  /// return null.
  @Nullable String sessionName() {
    if (!sessionRead) {
      sessionRead = true;
      session = SessionOf.named(this);
    }
    return session;
  }

  /// The body as received. Must not be modified.
  public byte[] body() {
    return body;
  }

  /// The body of a route with a streamed body, to be read on the handler's thread. Throws
  /// IllegalStateException on other routes.
  public InputStream bodyStream() {
    if (bodyStream == null) {
      throw new IllegalStateException("the route does not stream its body");
    }
    return bodyStream;
  }

  /// The body as a JSON object, parsed once. Throws [InvalidRequest] when it is not one.
  public JsonBody json() {
    if (json == null) {
      json = JsonBody.parse(body);
    }
    return json;
  }

  /// The client's address: the address of the connection, or the one that trusted proxies report.
  public ClientAddress address() {
    if (address == null) {
      address = serverContext.forwarding().of(client.peer(serverContext.forwarding()), raw);
    }
    return address;
  }

  /// Whether a trusted proxy sent the request, so that its `X-Forwarded-...` headers can be
  /// believed.
  public boolean isFromTrustedProxy() {
    return serverContext.forwarding().isFromProxy(client.peer(serverContext.forwarding()));
  }

  /// The server's URL as `up` prints it, `http://HOST:PORT`. It is derived from the settings and
  /// the local port only, not from anything that the client sends.
  public String serverUrl() {
    SocketAddress local = raw.localAddress();
    return serverContext.config().url(local == null ? serverContext.config().port() : local.port());
  }

  /// Whether a program on this machine sent the request without a proxy.
  public boolean isLocal() {
    return serverContext.forwarding().isLocal(raw);
  }

  /// The client's address as text.
  public String clientAddress() {
    return address().text();
  }

  /// The `User-Agent`; empty when absent.
  public String userAgent() {
    String agent = raw.getHeader(HttpHeaders.USER_AGENT);
    return agent == null ? "" : agent;
  }

  /// The purpose that browsers send with speculative requests, such as `prefetch`; null when
  /// absent.
  public @Nullable String purpose() {
    String purpose = raw.getHeader(SEC_PURPOSE);
    return purpose == null ? raw.getHeader(PURPOSE) : purpose;
  }

  boolean namesLanguage() {
    return raw.headers().contains(HttpHeaders.ACCEPT_LANGUAGE);
  }

  public Language language() {
    if (language == null) {
      language =
          Languages.pick(
              raw.getHeader(HttpHeaders.ACCEPT_LANGUAGE), serverContext.config().defaultLanguage());
    }
    return language;
  }

  /// The client's `X-Request-Id` when it is 8 to 64 letters, digits, `_` or `-`; otherwise a new
  /// id. Calling this adds the header to the reply.
  public String requestId() {
    if (requestId == null) {
      String given = raw.getHeader(ID_HEADER);
      requestId = given != null && isId(given) ? given : serverContext.ids().trace();
    }
    return requestId;
  }

  /// The browser, identified by its signed cookie. Without a valid cookie the reply sets a new one.
  public Device device() {
    if (device == null) {
      device = serverContext.devices().read(cookie(Cookies.DeviceCookie.NAME));
    }
    return device;
  }

  /// The signed-in account. The lookup runs once; after it, [#caller] includes the account. A
  /// failed lookup is repeated on the next call.
  ///
  /// @param find looks up the account of the request's token; empty for a guest
  public Future<Optional<SignedIn>> signedIn(Function<Request, Future<Optional<SignedIn>>> find) {
    Future<Optional<SignedIn>> found = signedIn;
    if (found == null || found.failed()) {
      found = find.apply(this);
      signedIn = found;
    }
    return found;
  }

  /// The account id when the lookup has found one; otherwise null.
  private @Nullable String account() {
    Future<Optional<SignedIn>> found = signedIn;
    return found == null || !found.succeeded()
        ? null
        : found.result().map(SignedIn::account).orElse(null);
  }

  /// The client as far as it is known. Does not give a new browser a cookie. Includes the account
  /// only after the lookup by [#signedIn].
  public Caller caller() {
    Device browser = device;
    if (browser == null && cookie(Cookies.DeviceCookie.NAME) != null) {
      browser = device();
    }
    return new Caller(
        address(),
        userAgent(),
        browser == null ? null : browser.id(),
        SessionOf.optional(this),
        account());
  }

  /// The browser's id when it sent a valid cookie of ours; otherwise null. Does not set a cookie.
  public @Nullable DeviceId returning() {
    if (device == null) {
      String sent = cookie(Cookies.DeviceCookie.NAME);
      Device found = sent == null ? null : serverContext.devices().read(sent);
      device = found == null || found.fresh() ? null : found;
    }
    return device == null || device.fresh() ? null : device.id();
  }

  /// The refusal with the decision id and the address of its appeal, when people can appeal against
  /// it; otherwise as it is. Refusals that are sent as replies get them anyway; this is for those
  /// that are shown on a page, kept, or have a cause.
  public Refusal decided(Refusal refusal) {
    return decided(refusal, Decisions.Cause.NONE);
  }

  /// The same for a refusal with a known cause.
  public Refusal decided(Refusal refusal, Decisions.Cause cause) {
    return serverContext.decided(this, refusal, cause);
  }

  /// The pattern of the route, or `other`.
  String route() {
    return route == null ? "other" : route.path();
  }

  /// Whether rate limits refuse the request after its body has arrived.
  public boolean isReceivedBeforeLimits() {
    return route != null && route.body().beforeLimits();
  }

  /// The action of the route; null when there is no route.
  @Nullable Action action() {
    return route == null ? null : route.action();
  }

  void route(Route found) {
    route = found;
  }

  /// Whether scripts of any origin may read the reply.
  boolean isForAnyOrigin() {
    return route != null && route.anyOrigin();
  }

  /// What a span says of this request. Of the path only ids of orders and products are kept,
  /// because other placeholders may be secrets, such as invitations.
  Traces.Facts facts(int status) {
    String pattern = route();
    Map<String, String> about = Map.of();
    if (pattern.startsWith("/api/orders/{id}")) {
      about = Map.of("order", pathParam("id"));
    } else if (pattern.startsWith("/api/products/{id}") || pattern.startsWith("/p/{id}")) {
      about = Map.of("product", pathParam("id"));
    }
    return new Traces.Facts(method().name(), pattern, status, requestId(), about);
  }

  HttpServerContext serverContext() {
    return serverContext;
  }

  /// Gives this request back to the limits, as if it were answered 503, because it has done
  /// nothing. Call it before the reply, on any thread.
  public void uncount() {
    isCounted = false;
  }

  boolean isCounted() {
    return isCounted;
  }

  /// Registers a step that runs once if the request is answered 503 or is not counted; immediately
  /// when it has been. A new step replaces the previous one. Must be called on the request's event
  /// loop.
  public void whenUnserved(Runnable step) {
    if (isUnserved) {
      step.run();
    } else {
      unserved = step;
    }
  }

  /// Whether rate limits have counted the request, so that its client cannot send any number.
  boolean isLimited() {
    return unserved != null && isCounted;
  }

  /// The reply is 503, or the request is not counted. A repeat has no effect.
  void unserved() {
    Runnable step = unserved;
    unserved = null;
    isUnserved = true;
    if (step != null) {
      step.run();
    }
  }

  void body(byte[] bytes) {
    body = bytes;
    json = null;
  }

  void body(InputStream stream) {
    bodyStream = stream;
  }

  @Nullable String knownRequestId() {
    return requestId;
  }

  @Nullable Device knownDevice() {
    return device;
  }

  private static boolean isId(String text) {
    if (text.length() < MIN_ID_LENGTH || text.length() > MAX_ID_LENGTH) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!letter && !(c >= '0' && c <= '9') && c != '-' && c != '_') {
        return false;
      }
    }
    return true;
  }
}
