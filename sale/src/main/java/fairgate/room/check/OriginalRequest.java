package fairgate.room.check;

import fairgate.platform.http.Request;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A request to the protected site, as a trusted proxy reports it.
///
/// @param method in upper case
/// @param scheme `http` or `https`
/// @param host as in the `Host` header
/// @param target path and query as sent; begins with a slash
/// @param navigation whether a browser shows the answer as a page
/// @param methodOverride whether the shop may take it for a request with another method
record OriginalRequest(
    String method,
    String scheme,
    String host,
    String target,
    boolean navigation,
    boolean methodOverride) {
  private static final String ENVOY_TARGET = "&u=";
  private static final Set<String> SAFE = Set.of("GET", "HEAD");
  private static final List<String> OVERRIDES =
      List.of("x-http-method-override", "x-http-method", "x-method-override");

  /// The request that the proxy asks about; empty when a header is missing, repeated or malformed.
  static Optional<OriginalRequest> of(Dialect dialect, Request question) {
    boolean envoy = dialect == Dialect.ENVOY;
    String method = envoy ? question.methodSent() : only(question, "x-forwarded-method");
    String host = only(question, envoy ? "host" : "x-forwarded-host");
    String target = envoy ? appended(question.target()) : only(question, "x-forwarded-uri");
    String scheme = only(question, "x-forwarded-proto");
    if (method == null || host == null || target == null || scheme == null) {
      return Optional.empty();
    }
    if (!isToken(method) || !target.startsWith("/") || !isScheme(scheme)) {
      return Optional.empty();
    }
    String upper = method.toUpperCase(Locale.ROOT);
    return Optional.of(
        new OriginalRequest(
            upper, scheme, host, target, isNavigation(upper, question), isOverridden(question)));
  }

  /// Whether the address alone is the whole request, so that a visitor can return to it. A form
  /// that was sent is more than its address.
  boolean isRepeatable() {
    return SAFE.contains(method);
  }

  /// Scheme and host of the site.
  String origin() {
    return scheme + "://" + host;
  }

  private static @Nullable String only(Request question, String name) {
    List<String> values = question.headers(name);
    return values.size() == 1 && isVisible(values.getFirst()) ? values.getFirst() : null;
  }

  /// The part of a check's path that the proxy's configuration has written.
  static String configured(String path) {
    int at = path.indexOf(ENVOY_TARGET);
    return at < 0 ? path : path.substring(0, at);
  }

  /// What Envoy appends to the configured path.
  private static @Nullable String appended(String path) {
    int at = path.indexOf(ENVOY_TARGET);
    String target = at < 0 ? "" : path.substring(at + ENVOY_TARGET.length());
    return isVisible(target) ? target : null;
  }

  private static boolean isScheme(String text) {
    return text.equals("https") || text.equals("http");
  }

  private static boolean isToken(String method) {
    for (int i = 0; i < method.length(); i++) {
      char c = method.charAt(i);
      if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '-') {
        return false;
      }
    }
    return true;
  }

  /// Whether the text is not empty and has visible ASCII characters only.
  private static boolean isVisible(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) <= ' ' || text.charAt(i) >= 0x7f) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /// Scripts, images, uploads and sockets are not navigation: a redirect to a page is useless
  /// there. Of the other methods, browsers send forms with POST only.
  private static boolean isNavigation(String method, Request question) {
    boolean form = method.equals("POST");
    if (!form && !SAFE.contains(method)) {
      return false;
    }
    String mode = question.header("sec-fetch-mode");
    if (mode != null) {
      return mode.equals("navigate");
    }
    String accept = question.header("accept");
    boolean json = accept != null && accept.contains("application/json");
    boolean page = accept != null && accept.contains("text/html");
    return question.header("upgrade") == null
        && question.header("x-requested-with") == null
        && (page || (!json && !form));
  }

  private static boolean isOverridden(Request question) {
    for (String name : OVERRIDES) {
      if (question.header(name) != null) {
        return true;
      }
    }
    return false;
  }

  /// The proxies that ask `/gate/check`, by the answers that they understand.
  enum Dialect {
    /// `auth_request`: 204, or 401 with all else in headers, because nginx drops the body and takes
    /// other statuses for errors.
    NGINX,
    /// `forward_auth`: 2xx, or the answer for the client.
    CADDY,
    /// `ForwardAuth`: 2xx, or the answer for the client.
    TRAEFIK,
    /// `ext_authz` over HTTP: 200, or the answer for the client. The request has the method and the
    /// host of the original one, and its path and query at the end of the query.
    ENVOY,
    /// The Lua of `deploy/room/fairgate.lua`: 204, or the answer for the client.
    HAPROXY;

    /// The words of the parameter `d`.
    static final String WORDS = "nginx, caddy, traefik, envoy, haproxy";

    static Optional<Dialect> of(String word) {
      for (Dialect dialect : values()) {
        if (dialect.name().toLowerCase(Locale.ROOT).equals(word)) {
          return Optional.of(dialect);
        }
      }
      return Optional.empty();
    }
  }
}
