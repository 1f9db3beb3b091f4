package fairgate.account;

import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// How a request carries the token of an account's session: `Authorization: Bearer`, else the
/// cookie `__Host-fairgate_account`.
public final class SessionCookie {
  private static final String SCHEME = "Bearer ";
  private static final SecureCookie COOKIE = new SecureCookie("fairgate_account", "Lax");

  private SessionCookie() {}

  /// The token, or null when the request carries none.
  static @Nullable String token(Request request) {
    String header = request.header("authorization");
    if (header != null && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return header.substring(SCHEME.length()).strip();
    }
    return COOKIE.value(request);
  }

  /// The reply with the cookie set, or taken back where the token is empty.
  public static Reply put(Reply reply, Request request, String token, Duration life) {
    return COOKIE.put(reply, request, token, life);
  }

  /// Whether the browser talks plain http to this machine itself.
  static boolean isPlain(Request request) {
    return SecureCookie.isPlain(request);
  }
}
