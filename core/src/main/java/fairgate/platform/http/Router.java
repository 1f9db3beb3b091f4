package fairgate.platform.http;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Finds the endpoint of a request: by one map lookup for paths without placeholders, otherwise by
/// trying the patterns in turn, those with more literal segments first.
final class Router {
  private final Map<String, Match> exact = new HashMap<>();
  private final List<Endpoints.Pattern> patterns = new ArrayList<>();

  /// The patterns by the number of path segments that they match, in order; the last entry is for
  /// all longer paths.
  private final List<List<Endpoints.Pattern>> bySegments = new ArrayList<>();

  /// The decoded path and query of a request, and the values of the placeholders.
  record Target(String path, List<String> query, List<String> names, List<String> values) {
    static final Target NONE = new Target("", List.of(), List.of(), List.of());

    String param(String name) {
      int at = names.indexOf(name);
      if (at < 0) {
        throw new IllegalArgumentException("the route has no placeholder " + name);
      }
      return values.get(at);
    }
  }

  /// The result of a lookup.
  ///
  /// @param endpoints null when no route has this path
  record Match(@Nullable Endpoints endpoints, Target target) {
    boolean has(@Nullable Method method) {
      return method == null || (endpoints != null && endpoints.find(method) != null);
    }
  }

  /// Throws IllegalArgumentException when two routes have the same method and path.
  Router(List<Route> routes, HttpMetrics metrics, @Nullable Guard guard) {
    Map<Action, RouteLimits> limits = new HashMap<>();
    for (Route route : routes) {
      if (route.limits() != null) {
        limits.putIfAbsent(route.action(), route.limits());
      }
    }
    for (Route route : routes) {
      Endpoints endpoints =
          route.path().contains("{") ? patterned(route.path()) : literal(route.path());
      endpoints.add(
          route,
          metrics.route(route.method().name(), route.path()),
          guard == null
              ? null
              : guard.routeGuard(
                  route.action(), limits.getOrDefault(route.action(), RouteLimits.ACT)));
    }
    patterns.sort(Comparator.comparingInt(Endpoints.Pattern::literals).reversed());
    int longest = patterns.stream().mapToInt(p -> p.parts().size()).max().orElse(0);
    for (int n = 0; n <= longest + 1; n++) {
      int segments = n;
      bySegments.add(patterns.stream().filter(p -> p.takes(segments)).toList());
    }
  }

  /// The endpoints for a request target in origin form. Throws [InvalidRequest] when the target is
  /// malformed or not normalized.
  ///
  /// @param method preferred where several routes match, also a pattern to a literal path with
  ///   other methods; null for any
  Match find(@Nullable Method method, String uri) {
    Match known = exact.get(uri);
    return known != null && known.has(method) ? known : parse(method, uri);
  }

  /// The target of a page whose address was pasted with the punctuation or the text behind it; null
  /// for all other requests.
  ///
  /// @param match what the request found
  @Nullable String pageOf(Match match, String uri) {
    int mark = uri.indexOf('?');
    String rawPath = mark < 0 ? uri : uri.substring(0, mark);
    String page = PastedPath.clean(rawPath);
    if (page == null || isPage(match, rawPath) || !find(Method.GET, page).has(Method.GET)) {
      return null;
    }
    return mark < 0 ? page : page + uri.substring(mark);
  }

  /// Whether the path as it is names a page: one of few with a slash at the end, or a literal one.
  private boolean isPage(Match match, String rawPath) {
    return match.has(Method.GET) && (rawPath.endsWith("/") || exact.containsKey(rawPath));
  }

  private Match parse(@Nullable Method method, String uri) {
    if (!uri.startsWith("/")) {
      throw new InvalidRequest("", "bad_target");
    }
    int mark = uri.indexOf('?');
    String rawPath = mark < 0 ? uri : uri.substring(0, mark);
    List<String> query =
        mark < 0
            ? List.of()
            : Percent.query(uri.substring(mark + 1), PastedPath.mayBePage(rawPath));
    boolean plain = rawPath.indexOf('%') < 0;
    List<String> segments = plain && exact.containsKey(rawPath) ? List.of() : segments(rawPath);
    String path = plain ? rawPath : "/" + String.join("/", segments);
    Match known = exact.get(path);
    Target target = new Target(path, query, List.of(), List.of());
    if (known == null) {
      return matching(method, segments, target);
    }
    Match literal = new Match(known.endpoints(), target);
    Match pattern = known.has(method) ? literal : matching(method, segments(rawPath), target);
    return pattern.has(method) ? pattern : literal;
  }

  private Match matching(@Nullable Method method, List<String> segments, Target target) {
    Match other = null;
    int last = bySegments.size() - 1;
    for (Endpoints.Pattern pattern : bySegments.get(Math.min(segments.size(), last))) {
      List<String> values = pattern.match(segments);
      if (values == null) {
        continue;
      }
      Match match =
          new Match(
              pattern.endpoints(),
              new Target(target.path(), target.query(), pattern.names(), values));
      if (method != null && match.has(method)) {
        return match;
      }
      other = other == null ? match : other;
    }
    return other == null ? new Match(null, target) : other;
  }

  private static List<String> segments(String rawPath) {
    int slash = rawPath.indexOf('/', 1);
    if (slash < 0 && rawPath.length() > 1) {
      return List.of(segment(rawPath, 1, rawPath.length()));
    }
    List<String> segments = new ArrayList<>(4);
    int at = 1;
    while (at <= rawPath.length()) {
      int end = slash < 0 ? rawPath.length() : slash;
      segments.add(segment(rawPath, at, end));
      at = end + 1;
      slash = rawPath.indexOf('/', at);
    }
    return segments;
  }

  private static String segment(String rawPath, int at, int end) {
    String segment = Percent.segment(rawPath.substring(at, end));
    if (segment.equals(".") || segment.equals("..") || segment.indexOf('/') >= 0) {
      throw new InvalidRequest("", "bad_target");
    }
    return segment;
  }

  private Endpoints literal(String path) {
    Match match =
        exact.computeIfAbsent(
            path, p -> new Match(new Endpoints(p), new Target(p, List.of(), List.of(), List.of())));
    if (match.endpoints() == null) {
      throw new IllegalStateException("no endpoints at " + path);
    }
    return match.endpoints();
  }

  private Endpoints patterned(String path) {
    Endpoints.Pattern made = Endpoints.Pattern.of(path);
    for (Endpoints.Pattern pattern : patterns) {
      if (pattern.shape().equals(made.shape())) {
        if (!pattern.names().equals(made.names())) {
          throw new IllegalArgumentException("two names for one placeholder: " + path);
        }
        return pattern.endpoints();
      }
    }
    patterns.add(made);
    return made.endpoints();
  }

  /// Addresses of pages as people paste them out of a sentence: with the punctuation, the slash or
  /// the text behind the address. No path of a page ends in one of these characters or has a
  /// character beyond ASCII, so what remains without them is what was meant.
  static final class PastedPath {
    private static final String CLOSING = "/.,;:!?)]}>\"'`*| ";

    /// Nobody pastes these; proxies may close them by their one spelling.
    private static final List<String> NO_PAGES = List.of("/api/", "/console", "/metrics");

    private PastedPath() {}

    /// The path without what was pasted with it; null if there is nothing to remove, or if the path
    /// is not that of a public page.
    ///
    /// @param path as sent, percent-encoded, without the query
    static @Nullable String clean(String path) {
      int beyond = path.indexOf('%') < 0 ? -1 : beyondAscii(path);
      int end = end(path, beyond < 0 ? path.length() : beyond);
      // Browsers read a backslash as a slash, and two of them lead to another server.
      return end == path.length() || path.indexOf('\\') >= 0 || !mayBePage(path)
          ? null
          : path.substring(0, end);
    }

    /// Whether the path may be that of a public page.
    static boolean mayBePage(String path) {
      return NO_PAGES.stream().noneMatch(path::startsWith);
    }

    /// The end of the path without closing characters; the first slash stays.
    private static int end(String path, int from) {
      int end = from;
      while (end > 1) {
        boolean escaped = end > 3 && path.charAt(end - 3) == '%';
        int last = escaped ? escaped(path, end - 3) : path.charAt(end - 1);
        if (last < 0 || CLOSING.indexOf(last) < 0) {
          return end;
        }
        end -= escaped ? 3 : 1;
      }
      return end;
    }

    /// Where the first escaped byte of a character beyond ASCII is, if it is behind an address; -1
    /// if there is none, or if another part of the path than the first begins with it.
    private static int beyondAscii(String path) {
      for (int at = path.indexOf('%'); at >= 0; at = path.indexOf('%', at + 1)) {
        if (escaped(path, at) > 0x7f) {
          return at > 1 && path.charAt(at - 1) == '/' ? -1 : at;
        }
      }
      return -1;
    }

    /// The byte of an escape; -1 if it is malformed.
    private static int escaped(String path, int at) {
      int high = at + 2 < path.length() ? Character.digit(path.charAt(at + 1), 16) : -1;
      int low = at + 2 < path.length() ? Character.digit(path.charAt(at + 2), 16) : -1;
      return high < 0 || low < 0 ? -1 : high << 4 | low;
    }
  }
}
