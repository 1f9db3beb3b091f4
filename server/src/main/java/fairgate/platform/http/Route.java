package fairgate.platform.http;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// One method and path, and what answers it. Exactly one of the two handlers is there.
///
/// @param path literal segments and `{name}` segments, such as `/api/products/{id}`; a segment that
///   is a placeholder matches one segment, whatever it holds, and never an empty one. `{name*}` as
///   the last segment matches the rest of the path.
/// @param bodyLimit the longest body in bytes; a longer one is refused with 400
/// @param streamed whether a blocking handler runs before the body has arrived, and reads it by
///   [Request#bodyStream]
/// @param deadline how long the handler may take before the caller is told 503
public record Route(
    Method method,
    String path,
    @Nullable Handler handler,
    @Nullable BlockingHandler blocking,
    int bodyLimit,
    boolean streamed,
    Duration deadline) {
  /// The body limit of a route that sets none: 16 KiB.
  public static final int DEFAULT_BODY_LIMIT = 16 * 1024;

  /// The deadline of a route that sets none: 10 seconds.
  public static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(10);

  public Route {
    if ((handler == null) == (blocking == null)) {
      throw new IllegalArgumentException("a route has exactly one handler: " + path);
    }
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException("a path begins with a slash: " + path);
    }
    if (bodyLimit < 0 || deadline.isNegative()) {
      throw new IllegalArgumentException("a limit is never negative: " + path);
    }
    if (streamed && blocking == null) {
      throw new IllegalArgumentException("a body is read where one may wait: " + path);
    }
  }

  public static Route get(String path, Handler handler) {
    return onLoop(Method.GET, path, handler);
  }

  public static Route post(String path, Handler handler) {
    return onLoop(Method.POST, path, handler);
  }

  public static Route put(String path, Handler handler) {
    return onLoop(Method.PUT, path, handler);
  }

  public static Route delete(String path, Handler handler) {
    return onLoop(Method.DELETE, path, handler);
  }

  public static Route blockingGet(String path, BlockingHandler handler) {
    return onThread(Method.GET, path, handler);
  }

  public static Route blockingPost(String path, BlockingHandler handler) {
    return onThread(Method.POST, path, handler);
  }

  public static Route blockingPut(String path, BlockingHandler handler) {
    return onThread(Method.PUT, path, handler);
  }

  public static Route blockingDelete(String path, BlockingHandler handler) {
    return onThread(Method.DELETE, path, handler);
  }

  /// The same route with another body limit, in bytes.
  public Route withBodyLimit(int bytes) {
    return new Route(method, path, handler, blocking, bytes, streamed, deadline);
  }

  /// The same route with a body too long to hold, of at most so many bytes.
  public Route withStreamedBody(int bytes) {
    return new Route(method, path, handler, blocking, bytes, true, deadline);
  }

  /// The same route with another deadline.
  public Route withDeadline(Duration longest) {
    return new Route(method, path, handler, blocking, bodyLimit, streamed, longest);
  }

  private static Route onLoop(Method method, String path, Handler handler) {
    return new Route(method, path, handler, null, DEFAULT_BODY_LIMIT, false, DEFAULT_DEADLINE);
  }

  private static Route onThread(Method method, String path, BlockingHandler handler) {
    return new Route(method, path, null, handler, DEFAULT_BODY_LIMIT, false, DEFAULT_DEADLINE);
  }
}
