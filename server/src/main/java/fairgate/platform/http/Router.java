package fairgate.platform.http;

import java.util.List;

/// Finds the route of a request.
final class Router {
  private Router() {}

  /// A request's path and query, decoded, and what the placeholders matched.
  record Target(String path, List<String> query, List<String> names, List<String> values) {
    String param(String name) {
      int at = names.indexOf(name);
      if (at < 0) {
        throw new IllegalArgumentException("the route has no placeholder " + name);
      }
      return values.get(at);
    }
  }
}
