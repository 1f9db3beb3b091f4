package fairgate.platform.http;

import java.util.Locale;

/// Tells requests of our own pages from requests that other sites make a visitor's browser send, by
/// `Sec-Fetch-Site`, or by `Origin` when that is absent.
public enum SameOrigin {
  /// Sent by one of our pages.
  OWN,
  /// Sent by a page of another site.
  FOREIGN,
  /// Unknown origin: sent by a program, or by a browser on the user's own action (`Sec-Fetch-Site:
  /// none`). Browsers send the origin with every POST of a page.
  UNSAID;

  public static SameOrigin of(Request request) {
    String site = request.header("sec-fetch-site");
    if (site != null) {
      return switch (site.toLowerCase(Locale.ROOT)) {
        case "same-origin" -> OWN;
        case "none" -> UNSAID;
        default -> FOREIGN;
      };
    }
    String origin = request.header("origin");
    if (origin == null) {
      return UNSAID;
    }
    String host = request.header("host");
    int scheme = origin.indexOf("://");
    return host != null && scheme > 0 && origin.substring(scheme + 3).equalsIgnoreCase(host)
        ? OWN
        : FOREIGN;
  }

  /// Whether this is a cross-site request that would act with the visitor's cookies.
  ///
  /// Requests with a session or account header are not: a page of another site cannot make a
  /// browser send these headers, because the server does not grant the preflight request for them.
  static boolean isForged(Request request, Route route) {
    return route.method() != Method.GET
        && request.header("x-session-id") == null
        && request.header("authorization") == null
        && of(request) == FOREIGN;
  }
}
