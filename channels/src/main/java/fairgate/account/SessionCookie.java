package fairgate.account;

import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// How a request carries its session's token: `Authorization: Bearer`, else a cookie.
///
/// The cookie is `__Host-fairgate_account`: only over https, only for this host, only set by it. On
/// plain http browsers take no such cookie; there, and on this machine only, it is
/// `fairgate_account`.
public final class SessionCookie {
  static final String SECURE = "__Host-fairgate_account";
  static final String PLAIN = "fairgate_account";

  private static final String SCHEME = "Bearer ";
  private static final Pattern THIS_MACHINE =
      Pattern.compile("(localhost|\\[::1]|127(\\.\\d{1,3}){3})(:\\d+)?", Pattern.CASE_INSENSITIVE);

  private SessionCookie() {}

  /// The token, or null when the request carries none.
  static @Nullable String token(Request request) {
    String header = request.header("authorization");
    if (header != null && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return header.substring(SCHEME.length()).strip();
    }
    String secure = request.exactCookie(SECURE);
    if (secure != null) {
      return secure;
    }
    String plain = request.exactCookie(PLAIN);
    // Elsewhere a neighbouring host could have planted it.
    return plain != null && isPlain(request) ? plain : null;
  }

  /// The reply with the cookie set, or taken back where the token is empty.
  public static Reply put(Reply reply, Request request, String token, Duration life) {
    boolean plain = isPlain(request);
    return reply.header(
        "set-cookie",
        (plain ? PLAIN : SECURE)
            + '='
            + token
            + "; Path=/; Max-Age="
            + life.toSeconds()
            + "; HttpOnly; SameSite=Lax"
            + (plain ? "" : "; Secure"));
  }

  /// Whether the browser talks plain http to this machine itself.
  static boolean isPlain(Request request) {
    String host = request.header("host");
    if (host == null || request.isSecure()) {
      return false;
    }
    return THIS_MACHINE.matcher(host).matches();
  }
}
