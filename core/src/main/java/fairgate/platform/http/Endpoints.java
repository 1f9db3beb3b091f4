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

/// The endpoints of one path, by method.
final class Endpoints {
  private final String path;
  private final Map<Method, Endpoint> byMethod = new EnumMap<>(Method.class);

  /// A route with its meter and its guard.
  record Endpoint(
      Route route,
      HttpMetrics.RouteMeter meter,
      Guard.@Nullable RouteGuard guard,
      long deadlineNanos) {
    /// Calls the handler: on the event loop, or on a virtual thread for a blocking handler.
    Future<Reply> answer(Request request) throws Exception {
      Handler handler = route.handler();
      if (handler != null) {
        return handler.handle(request);
      }
      Handler.Blocking blocking = route.blocking();
      if (blocking == null) {
        throw new IllegalStateException("a route without a handler");
      }
      return request
          .serverContext()
          .blocking()
          .run(waiting -> prepared(blocking, waiting), request);
    }

    /// Compresses a long body on the virtual thread, so that the event loop does not have to.
    private static Reply prepared(Handler.Blocking blocking, Request request) throws Exception {
      Reply reply = blocking.handle(request);
      if (reply != null && reply.isVaried()) {
        var _ = reply.gzipFor(request);
      }
      return reply;
    }
  }

  Endpoints(String path) {
    this.path = path;
  }

  void add(Route route, HttpMetrics.RouteMeter meter, Guard.@Nullable RouteGuard guard) {
    Endpoint endpoint = new Endpoint(route, meter, guard, route.deadline().toNanos());
    if (byMethod.put(route.method(), endpoint) != null) {
      throw new IllegalArgumentException("two routes for " + route.method() + " " + path);
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
  /// @param parts the literal segments; null for a placeholder
  /// @param names the names of the placeholders in their order
  /// @param rest whether the last placeholder matches the rest of the path
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
          throw new IllegalArgumentException(
              "a rest placeholder must be the last segment: " + path);
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

    /// The number of literal segments.
    int literals() {
      return parts.size() - names.size();
    }

    /// Whether a path with this number of segments can match.
    boolean takes(int segments) {
      return rest ? segments >= parts.size() : segments == parts.size();
    }

    /// The values of the placeholders; null when the path does not match.
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

  /// A request of a guarded route. It calls the guard before and after the handler.
  static final class GuardedRequest {
    private final Exchange exchange;
    private final Guard.RouteGuard guard;
    private final Request request;
    private boolean entered;

    GuardedRequest(Exchange exchange, Guard.RouteGuard guard, Request request) {
      this.exchange = exchange;
      this.guard = guard;
      this.request = request;
    }

    /// Calls the guard's `enter`. If false, the request has been answered.
    @SuppressWarnings("CatchingUnchecked") // Every failure is answered.
    boolean enter() {
      Reply stop;
      try {
        stop = guard.enter(request);
      } catch (Throwable t) {
        exchange.fail(t);
        return false;
      }
      if (stop == null) {
        entered = true;
        return true;
      }
      exchange.finish(stop);
      return false;
    }

    /// Calls the guard's `judge` and then, if the guard allows the request, runs `next` on the
    /// event loop.
    ///
    /// @param deadline for the verdict and the handler, in `System.nanoTime()`
    void judge(EventLoop loop, long deadline, Runnable next) {
      Future<Optional<Reply>> verdict = verdict();
      if (verdict.equals(Guard.RouteGuard.PASS) && !exchange.isDone()) {
        next.run();
      } else if (verdict.isComplete()) {
        apply(verdict, next);
      } else {
        loop.await(exchange, deadline);
        verdict.onComplete(result -> loop.run(() -> apply(result, next)));
      }
    }

    @SuppressWarnings("CatchingUnchecked") // Every failure is answered.
    private Future<Optional<Reply>> verdict() {
      try {
        return guard.judge(request);
      } catch (Throwable t) {
        return Future.failedFuture(t);
      }
    }

    private void apply(AsyncResult<Optional<Reply>> verdict, Runnable next) {
      if (exchange.isDone()) {
        return;
      }
      if (verdict.failed()) {
        exchange.fail(verdict.cause());
      } else {
        verdict.result().ifPresentOrElse(exchange::finish, next);
      }
    }

    /// Whether the request's event stream may stay open.
    boolean mayStay() {
      return guard.mayStay(request);
    }

    /// Wraps `open` so that the guard's `left` is called when the stream ends.
    Consumer<EventStream> leaveOnClose(Consumer<EventStream> open) {
      return stream -> {
        stream.onClose(this::leave);
        open.accept(stream);
      };
    }

    /// Tells the guard that the request is finished. A repeat has no effect.
    void leave() {
      if (entered) {
        entered = false;
        guard.left(request);
      }
    }
  }
}
