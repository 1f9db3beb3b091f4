package fairgate.platform.http;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What one path answers to, by method.
final class Endpoints {
  private final String path;
  private final Map<Method, Endpoint> byMethod = new EnumMap<>(Method.class);

  /// A route, its meters, and who watches over it.
  record Endpoint(
      Route route, HttpMetrics.RouteMeter meter, Guard.@Nullable Watch watch, long deadlineNanos) {
    /// Has the handler answer, on a thread that may wait if it is one that waits.
    Future<Reply> answer(Request request) throws Exception {
      Handler handler = route.handler();
      if (handler != null) {
        return handler.handle(request);
      }
      BlockingHandler blocking = route.blocking();
      if (blocking == null) {
        throw new IllegalStateException("a route without a handler");
      }
      return request.kit().blocking().run(blocking, request);
    }
  }

  Endpoints(String path) {
    this.path = path;
  }

  void add(Route route, HttpMetrics.RouteMeter meter, Guard.@Nullable Watch watch) {
    Endpoint endpoint = new Endpoint(route, meter, watch, route.deadline().toNanos());
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

    /// Whether a path of so many segments can match.
    boolean takes(int segments) {
      return rest ? segments >= parts.size() : segments == parts.size();
    }

    /// What the placeholders match, or null when the path is another.
    @Nullable List<String> match(List<String> segments) {
      int fixed = rest ? parts.size() - 1 : parts.size();
      if (rest ? segments.size() <= fixed : segments.size() != fixed) {
        return null;
      }
      if (literals() == 0 && fixed == 1 && !rest) {
        return segments.getFirst().isEmpty() ? null : segments;
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

  /// One request's way past the guard: in, on to its handler, and out.
  static final class Passage {
    private final Exchange exchange;
    private final Guard.Watch watch;
    private final Request request;
    private boolean inside;

    Passage(Exchange exchange, Guard.Watch watch, Request request) {
      this.exchange = exchange;
      this.watch = watch;
      this.request = request;
    }

    /// Whether the request was let in; when not, it has its answer.
    @SuppressWarnings("CatchingUnchecked") // Whatever a guard throws is answered.
    boolean enter() {
      Reply stop;
      try {
        stop = watch.enter(request);
      } catch (Throwable t) {
        exchange.fail(t);
        return false;
      }
      if (stop == null) {
        inside = true;
        return true;
      }
      exchange.finish(stop);
      return false;
    }

    /// Has the whole request judged; what lets it on runs `onward`, on the loop.
    ///
    /// @param deadline the verdict's and the handler's, by `System.nanoTime()`
    void judge(EventLoop loop, long deadline, Runnable onward) {
      Future<Optional<Reply>> verdict = verdict();
      if (verdict.equals(Guard.Watch.PASS) && !exchange.isDone()) {
        onward.run();
      } else if (verdict.isComplete()) {
        go(verdict, onward);
      } else {
        loop.await(exchange, deadline);
        verdict.onComplete(result -> loop.run(() -> go(result, onward)));
      }
    }

    @SuppressWarnings("CatchingUnchecked") // Whatever a guard throws is answered.
    private Future<Optional<Reply>> verdict() {
      try {
        return watch.judge(request);
      } catch (Throwable t) {
        return Future.failedFuture(t);
      }
    }

    private void go(AsyncResult<Optional<Reply>> verdict, Runnable onward) {
      if (exchange.isDone()) {
        return;
      }
      if (verdict.failed()) {
        exchange.fail(verdict.cause());
      } else {
        verdict.result().ifPresentOrElse(exchange::finish, onward);
      }
    }

    /// The same stream, at whose end the request leaves.
    Consumer<EventStream> until(Consumer<EventStream> open) {
      return stream -> {
        stream.onClose(this::leave);
        open.accept(stream);
      };
    }

    /// The request has got its whole answer. A repeat does nothing.
    void leave() {
      if (inside) {
        inside = false;
        watch.left(request);
      }
    }
  }
}
