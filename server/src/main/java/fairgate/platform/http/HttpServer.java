package fairgate.platform.http;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;

/// The running web server: one listener per event loop, all on one port.
public final class HttpServer {
  private HttpServer() {}

  /// Starts and waits until it listens; never call it on an event loop. Throws
  /// IllegalStateException that says so when the port is taken.
  public static HttpServer start(
      Vertx vertx, HttpConfig config, List<Route> routes, HttpSeams seams) {
    throw new UnsupportedOperationException();
  }

  /// The port it listens on.
  public int port() {
    throw new UnsupportedOperationException();
  }

  /// Stops: takes no new connections, ends event streams, lets running requests finish for so long,
  /// then closes what is left. The future completes when all is closed; a repeat gives the same.
  public Future<Void> drain(Duration longest) {
    throw new UnsupportedOperationException();
  }
}
