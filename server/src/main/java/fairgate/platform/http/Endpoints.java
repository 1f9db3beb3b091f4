package fairgate.platform.http;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/// What one path answers to, by method.
final class Endpoints {
  private final String path;
  private final Map<Method, Endpoint> byMethod = new EnumMap<>(Method.class);

  /// A route and its meters.
  record Endpoint(Route route, HttpMetrics.RouteMeter meter, long deadlineNanos) {}

  Endpoints(String path) {
    this.path = path;
  }

  void add(Route route, HttpMetrics.RouteMeter meter) {
    Endpoint endpoint = new Endpoint(route, meter, route.deadline().toNanos());
    if (byMethod.put(route.method(), endpoint) != null) {
      throw new IllegalArgumentException("two routes answer " + route.method() + " " + path);
    }
  }

  @Nullable Endpoint find(Method method) {
    return byMethod.get(method);
  }

  /// The value of `Allow`.
  String allow() {
    StringJoiner names = new StringJoiner(", ");
    for (Method method : byMethod.keySet()) {
      names.add(method.name());
      if (method == Method.GET) {
        names.add("HEAD");
      }
    }
    return names.add("OPTIONS").toString();
  }

  /// A route's path with placeholders.
  ///
  /// @param parts the literal segments, and null for a placeholder
  /// @param names the placeholders, in their order
  /// @param rest whether the last placeholder takes all that is left
  /// @param shape the pattern without its names: equal for patterns that match the same paths
  record Pattern(
      List<@Nullable String> parts,
      List<String> names,
      boolean rest,
      String shape,
      Endpoints endpoints) {
    static Pattern of(String path) {
      List<@Nullable String> parts = new ArrayList<>();
      List<String> names = new ArrayList<>();
      StringBuilder shape = new StringBuilder();
      boolean rest = false;
      for (String segment : path.substring(1).split("/", -1)) {
        if (rest) {
          throw new IllegalArgumentException("nothing may follow the rest of a path: " + path);
        }
        if (!segment.startsWith("{")) {
          parts.add(segment);
          shape.append('/').append(segment);
          continue;
        }
        rest = segment.endsWith("*}");
        names.add(segment.substring(1, segment.length() - (rest ? 2 : 1)));
        parts.add(null);
        shape.append(rest ? "/{*}" : "/{}");
      }
      return new Pattern(parts, List.copyOf(names), rest, shape.toString(), new Endpoints(path));
    }

    /// How many segments are literal.
    int literals() {
      return parts.size() - names.size();
    }

    /// What the placeholders match, or null when the path is another.
    @Nullable List<String> match(List<String> segments) {
      int fixed = rest ? parts.size() - 1 : parts.size();
      if (rest ? segments.size() <= fixed : segments.size() != fixed) {
        return null;
      }
      List<String> values = new ArrayList<>(names.size());
      for (int i = 0; i < fixed; i++) {
        String segment = segments.get(i);
        String part = parts.get(i);
        if (part == null && !segment.isEmpty()) {
          values.add(segment);
        } else if (!segment.equals(part)) {
          return null;
        }
      }
      if (rest) {
        String left = String.join("/", segments.subList(fixed, segments.size()));
        if (left.isEmpty()) {
          return null;
        }
        values.add(left);
      }
      return values;
    }
  }
}
