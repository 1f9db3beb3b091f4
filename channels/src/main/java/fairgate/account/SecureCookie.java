package fairgate.account;

import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A cookie with a credential.
///
/// Its name has the prefix `__Host-`: only over https, only for this host, only set by it. On plain
/// http browsers take no such cookie; there, and on this machine only, it has no prefix.
///
/// @param name without the prefix
/// @param sameSite `Lax` or `Strict`
public record SecureCookie(String name, String sameSite) {
  private static final String PREFIX = "__Host-";
  private static final Pattern THIS_MACHINE =
      Pattern.compile("(localhost|\\[::1]|127(\\.\\d{1,3}){3})(:\\d+)?", Pattern.CASE_INSENSITIVE);

  /// The value, or null when the request has none.
  public @Nullable String value(Request request) {
    String secure = request.exactCookie(PREFIX + name);
    if (secure != null) {
      return secure;
    }
    String plain = request.exactCookie(name);
    // Elsewhere a neighbouring host could have planted it.
    return plain != null && isPlain(request) ? plain : null;
  }

  /// The reply with the cookie set, or removed when the value is empty.
  public Reply put(Reply reply, Request request, String value, Duration life) {
    boolean plain = isPlain(request);
    return reply.header(
        "set-cookie",
        (plain ? "" : PREFIX)
            + name
            + '='
            + value
            + "; Path=/; Max-Age="
            + life.toSeconds()
            + "; HttpOnly; SameSite="
            + sameSite
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
