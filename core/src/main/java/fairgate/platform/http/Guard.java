package fairgate.platform.http;

import io.vertx.core.Future;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Decides before a route's handler whether a request is allowed.
///
/// All methods run on the event loop of the connection and must not block. An exception or a failed
/// future is answered like a failure of the handler, and the handler is not called.
@FunctionalInterface
public interface Guard {
  /// The guard of one route, by its action and limits. Called once for each route when the server
  /// starts. Null when the route needs none; it then has no extra cost.
  @Nullable RouteGuard routeGuard(Action action, RouteLimits limits);

  interface RouteGuard {
    /// The result of [#judge] for an allowed request.
    Future<Optional<Reply>> PASS = Future.succeededFuture(Optional.empty());

    /// Checks the head before the body is read. Null admits the request; a reply ends it.
    @Nullable Reply enter(Request request);

    /// Checks the whole request just before the handler. Empty allows it; a reply ends it.
    Future<Optional<Reply>> judge(Request request);

    /// Whether the caller of an open event stream may keep it open. Called about twice a second for
    /// each stream, so it must be cheap. False ends the stream.
    default boolean mayStay(Request request) {
      return true;
    }

    /// The request has been answered completely, including an event stream, or will not be
    /// answered. Called exactly once for each request that `enter` admitted.
    void left(Request request);
  }

  /// A guard of a route in front of another one. It passes everything on; subclasses add their
  /// checks.
  abstract class Chained implements RouteGuard {
    private final @Nullable RouteGuard next;

    /// @param next the guard behind this one; null for none
    protected Chained(@Nullable RouteGuard next) {
      this.next = next;
    }

    protected final boolean hasNext() {
      return next != null;
    }

    @Override
    public @Nullable Reply enter(Request request) {
      return next == null ? null : next.enter(request);
    }

    @Override
    public Future<Optional<Reply>> judge(Request request) {
      return next == null ? PASS : next.judge(request);
    }

    @Override
    public boolean mayStay(Request request) {
      return next == null || next.mayStay(request);
    }

    @Override
    public void left(Request request) {
      if (next != null) {
        next.left(request);
      }
    }
  }
}
