package fairgate.platform.http;

import fairgate.kernel.SessionId;
import org.jspecify.annotations.Nullable;

/// How a request names its session: header `X-Session-Id`, else query `session_id`, else the cookie
/// `fairgate_session`.
public final class SessionOf {
  /// The cookie a join sets.
  public static final String COOKIE = "fairgate_session";

  private static final String HEADER = "x-session-id";
  private static final String QUERY = "session_id";

  private SessionOf() {}

  /// The session; throws InvalidRequest when none is named or the name is no session id.
  public static SessionId required(Request request) {
    String named = named(request);
    if (named == null) {
      throw new InvalidRequest(QUERY, "missing");
    }
    if (!SessionId.isValid(named)) {
      throw new InvalidRequest(QUERY, "not_uuid");
    }
    return new SessionId(named);
  }

  /// The session, or null when none is named or the name is no session id: a caller that joins
  /// needs none, and a spoilt cookie must not keep it out.
  public static @Nullable SessionId optional(Request request) {
    String named = named(request);
    return named != null && SessionId.isValid(named) ? new SessionId(named) : null;
  }

  private static @Nullable String named(Request request) {
    String header = request.header(HEADER);
    if (header != null) {
      return header;
    }
    String query = request.query(QUERY);
    return query != null ? query : request.cookie(COOKIE);
  }
}
