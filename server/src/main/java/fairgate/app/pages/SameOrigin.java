package fairgate.app.pages;

import fairgate.platform.http.Request;

/// Tells a form of our own pages from one that another site sends in the visitor's name.
final class SameOrigin {
  private SameOrigin() {}

  /// Whether the request comes from our own page, by `Sec-Fetch-Site`, or by `Origin` where the
  /// browser does not send that. A browser that sends neither is refused.
  static boolean holds(Request request) {
    String site = request.header("sec-fetch-site");
    if (site != null) {
      return site.equals("same-origin");
    }
    String origin = request.header("origin");
    String host = request.header("host");
    if (origin == null || host == null) {
      return false;
    }
    int scheme = origin.indexOf("://");
    return scheme > 0 && origin.substring(scheme + 3).equalsIgnoreCase(host);
  }
}
