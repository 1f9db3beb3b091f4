package fairgate.platform.http;

import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.platform.http.stream.Link;
import fairgate.platform.text.Language;
import fairgate.platform.text.Languages;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A request whose body has arrived. Everything is read from the head only when asked for. Used by
/// one thread at a time.
public final class Request {
  static final CharSequence ID_HEADER = HttpHeaders.createOptimized("x-request-id");

  private static final CharSequence SEC_PURPOSE = HttpHeaders.createOptimized("sec-purpose");
  private static final CharSequence PURPOSE = HttpHeaders.createOptimized("purpose");
  private static final byte[] NO_BODY = {};
  private static final int LONGEST_ID = 64;
  private static final int SHORTEST_ID = 8;

  private final HttpServerRequest raw;
  private final Kit kit;
  private final Method method;
  private final Router.Target target;
  private final Link link;
  private byte[] body = NO_BODY;
  private @Nullable InputStream bodyStream;
  private @Nullable Language language;
  private @Nullable String requestId;
  private @Nullable Device device;
  private @Nullable ClientAddress address;
  private String route = "other";

  Request(HttpServerRequest raw, Kit kit, Method method, Router.Target target, Link link) {
    this.raw = raw;
    this.kit = kit;
    this.method = method;
    this.target = target;
    this.link = link;
  }

  /// The route's method; GET for HEAD too.
  public Method method() {
    return method;
  }

  /// The method as sent.
  public String methodSent() {
    return raw.method().name();
  }

  /// Path and query as sent.
  public String target() {
    return raw.uri();
  }

  /// Whether the caller asked for the head alone.
  public boolean isHead() {
    return raw.method().equals(HttpMethod.HEAD);
  }

  /// The path, decoded, without the query.
  public String path() {
    return target.path();
  }

  /// What a placeholder of the route's path matched, decoded. Throws IllegalArgumentException when
  /// the route has no such placeholder.
  public String pathParam(String name) {
    return target.param(name);
  }

  /// The first value of a query parameter, decoded; null when absent.
  public @Nullable String query(String name) {
    List<String> query = target.query();
    for (int i = 0; i < query.size(); i += 2) {
      if (query.get(i).equals(name)) {
        return query.get(i + 1);
      }
    }
    return null;
  }

  /// The first value of a header, by its name in any case.
  public @Nullable String header(String name) {
    return raw.getHeader(name);
  }

  /// What media types the caller takes, as sent.
  @Nullable String accept() {
    return raw.getHeader(HttpHeaders.ACCEPT);
  }

  /// All values of a header, in their order; none when absent.
  public List<String> headers(String name) {
    return raw.headers().getAll(name);
  }

  /// The value of a cookie; null when absent.
  public @Nullable String cookie(String name) {
    return Cookies.find(raw.getHeader(HttpHeaders.COOKIE), name);
  }

  /// The body as it came; do not change it.
  public byte[] body() {
    return body;
  }

  /// The body of a route that streams it, as it arrives; read it on the handler's own thread.
  /// Throws IllegalStateException on another route.
  public InputStream bodyStream() {
    if (bodyStream == null) {
      throw new IllegalStateException("the route does not stream its body");
    }
    return bodyStream;
  }

  /// The body as a JSON object. Throws [InvalidRequest] when it is none.
  public JsonBody json() {
    return JsonBody.parse(body);
  }

  /// The caller's address: that of the connection, or what trusted proxies say.
  public ClientAddress address() {
    if (address == null) {
      address = kit.forwarding().of(link.peer(kit.forwarding()), raw);
    }
    return address;
  }

  /// The caller's address as text.
  public String clientAddress() {
    return address().text();
  }

  /// The `User-Agent`; empty when absent.
  public String userAgent() {
    String agent = raw.getHeader(HttpHeaders.USER_AGENT);
    return agent == null ? "" : agent;
  }

  /// What a browser asks for without anybody having asked the browser, such as `prefetch`; null
  /// when it does not say.
  public @Nullable String purpose() {
    String purpose = raw.getHeader(SEC_PURPOSE);
    return purpose == null ? raw.getHeader(PURPOSE) : purpose;
  }

  /// The language the caller reads.
  public Language language() {
    if (language == null) {
      language = Languages.pick(raw.getHeader(HttpHeaders.ACCEPT_LANGUAGE));
    }
    return language;
  }

  /// The caller's `X-Request-Id` when it is 8 to 64 letters, digits, `_` or `-`; else a new one.
  /// Once asked for, the reply carries it.
  public String requestId() {
    if (requestId == null) {
      String given = raw.getHeader(ID_HEADER);
      requestId = given != null && isId(given) ? given : kit.ids().trace();
    }
    return requestId;
  }

  /// The browser this came from, by its signed cookie. When it had none, the reply sets one.
  public Device device() {
    if (device == null) {
      device = kit.devices().read(cookie(Cookies.DeviceCookie.NAME));
    }
    return device;
  }

  /// Who this came from, as far as the request says; a browser without a cookie gets none for this.
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
        null);
  }

  /// The browser, if it has been here before: null when it brings no cookie of ours. Makes the
  /// reply set none.
  public @Nullable DeviceId returning() {
    return cookie(Cookies.DeviceCookie.NAME) == null || device().fresh() ? null : device().id();
  }

  /// The pattern that was asked, or `other`.
  String route() {
    return route;
  }

  void route(String path) {
    route = path;
  }

  Kit kit() {
    return kit;
  }

  void body(byte[] bytes) {
    body = bytes;
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
    if (text.length() < SHORTEST_ID || text.length() > LONGEST_ID) {
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
