package fairgate.app;

import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Health;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A server that accepts requests.
record RunningServer(
    HttpServer http,
    Health health,
    Map<String, String> facts,
    List<Route> routes,
    AutoCloseable parts)
    implements Running {
  private static final Logger LOG = LoggerFactory.getLogger(RunningServer.class);
  private static final Duration DRAIN = Duration.ofSeconds(3);

  @Override
  public int port() {
    return http.port();
  }

  @Override
  public void close() {
    health.stopping();
    try {
      http.drain(DRAIN).await(DRAIN.toMillis() + 1_000, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn("some connections did not end in time");
    }
    try {
      parts.close();
    } catch (Exception e) {
      LOG.warn("a part did not stop cleanly", e);
    }
  }
}
