package fairgate.platform.http;

import io.vertx.core.Future;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Stands before the routes: says of each request whether its handler is asked at all.
///
/// Everything here runs on the event loop of the request's connection and must not block. What is
/// thrown, or fails a future, is answered like a handler's failure; then the handler is not asked.
@FunctionalInterface
public interface Guard {
  /// Who watches over one route; asked once for each, when the server starts. Null when nobody
  /// does: such a route costs nothing more than without a guard.
  ///
  /// @param path the route's pattern, such as `/p/{id}`
  @Nullable Watch watch(Method method, String path);

  /// Lets requests of one route in and out.
  interface Watch {
    /// The answer of [#judge] for a request that may go on.
    Future<Optional<Reply>> PASS = Future.succeededFuture(Optional.empty());

    /// Judges the head, before a body is taken in: null lets the request in, a reply ends it.
    @Nullable Reply enter(Request request);

    /// Judges the whole request, right before its handler: empty lets it on, a reply ends it.
    Future<Optional<Reply>> judge(Request request);

    /// A request that was let in has got its whole answer, a stream of events included, or will get
    /// none. Called exactly once for each that `enter` let in.
    void left(Request request);
  }
}
