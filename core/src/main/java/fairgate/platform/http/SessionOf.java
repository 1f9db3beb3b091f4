package fairgate.platform.http;

import fairgate.kernel.SessionId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The session of a request: header `X-Session-Id`, query parameter `session_id`, or the cookie
/// `fairgate_session`. A request that names different sessions is refused. Otherwise a guard could
/// check one session while the handler acts on another.
///
/// A browser may have a place in several sales. The cookie therefore lists its sessions, the newest
/// first, separated by dots. A header or query parameter may name any of them; without one, the
/// newest session is used.
public final class SessionOf {
  /// The cookie that a join sets. Over https it is named `__Host-fairgate_session`.
  public static final String COOKIE = "fairgate_session";

  private static final String HEADER = "x-session-id";
  private static final String QUERY = "session_id";
  private static final int MAX_SESSIONS = 8;

  /// The longest life that browsers accept.
  private static final Duration MAX_COOKIE_AGE = Duration.ofDays(400);

  private SessionOf() {}

  /// The session. Throws InvalidRequest when the request names none or an invalid session id.
  public static SessionId required(Request request) {
    String named = request.sessionName();
    if (named == null) {
      throw new InvalidRequest(QUERY, "missing");
    }
    if (!SessionId.isValid(named)) {
      throw new InvalidRequest(QUERY, "not_uuid");
    }
    return new SessionId(named);
  }

  /// The session; null when the request names none or an invalid session id. A join needs no
  /// session, so a damaged cookie must not prevent it.
  public static @Nullable SessionId optional(Request request) {
    String named = request.sessionName();
    return named != null && SessionId.isValid(named) ? new SessionId(named) : null;
  }

  /// The sessions of a browser, newest first: the one that the header or query names, else all of
  /// the cookie. Throws InvalidRequest when the request names different sessions.
  public static List<SessionId> all(Request request) {
    boolean isNamed = !request.headers(HEADER).isEmpty() || !request.queries(QUERY).isEmpty();
    SessionId named = optional(request);
    List<SessionId> listed =
        isNamed ? List.of() : listed(request.cookie(COOKIE)).stream().map(SessionId::new).toList();
    return named != null && listed.isEmpty() ? List.of(named) : listed;
  }

  /// Adds the cookie with this session, followed by the sessions that the browser already had.
  public static Reply remember(Reply reply, Request request, SessionId session, Duration life) {
    List<String> sessions = new ArrayList<>();
    sessions.add(session.value());
    for (String known : listed(request.cookie(COOKIE))) {
      if (sessions.size() < MAX_SESSIONS && !sessions.contains(known)) {
        sessions.add(known);
      }
    }
    return with(reply, sessions, life);
  }

  /// Adds the cookie unchanged, with a new life, when it contains the session; otherwise returns
  /// the reply unchanged.
  public static Reply keep(Reply reply, Request request, SessionId session, Duration life) {
    List<String> sessions = listed(request.cookie(COOKIE));
    return sessions.contains(session.value()) ? with(reply, sessions, life) : reply;
  }

  /// With several sessions the cookie gets the longest life, because the lives of the others are
  /// not known here.
  private static Reply with(Reply reply, List<String> sessions, Duration life) {
    Duration maxAge = sessions.size() > 1 ? MAX_COOKIE_AGE : life;
    return reply.cookie(COOKIE, String.join(".", sessions), maxAge);
  }

  /// The session id as sent; null when absent. Throws InvalidRequest when the request names two
  /// different sessions.
  static @Nullable String named(Request request) {
    String named = agreed(null, request.headers(HEADER));
    named = agreed(named, request.queries(QUERY));
    String cookie = request.cookie(COOKIE);
    List<String> listed = listed(cookie);
    if (named != null) {
      if (!listed.isEmpty() && !listed.contains(named)) {
        throw conflict();
      }
      return named;
    }
    return listed.isEmpty() ? cookie : listed.getFirst();
  }

  private static @Nullable String agreed(@Nullable String named, List<String> more) {
    String one = named;
    for (String other : more) {
      if (one != null && !one.equals(other)) {
        throw conflict();
      }
      one = other;
    }
    return one;
  }

  private static InvalidRequest conflict() {
    return new InvalidRequest(QUERY, "session_conflict");
  }

  /// The session ids in a cookie's value; empty when it is damaged.
  private static List<String> listed(@Nullable String cookie) {
    if (cookie == null) {
      return List.of();
    }
    if (SessionId.isValid(cookie)) {
      return List.of(cookie);
    }
    List<String> ids = new ArrayList<>();
    for (String part : cookie.split("\\.", MAX_SESSIONS + 1)) {
      if (SessionId.isValid(part)) {
        ids.add(part);
      }
    }
    return ids;
  }
}
