package fairgate.app;

import fairgate.app.Server.Running;
import fairgate.operator.access.OperatorService;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Health;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A server that accepts requests.
record RunningServer(
    HttpServer http,
    int adminPort,
    Health health,
    Map<String, String> facts,
    OperatorService operators,
    List<Route> routes,
    AutoCloseable components)
    implements Running {
  private static final Logger LOG = LoggerFactory.getLogger(RunningServer.class);
  private static final Duration DRAIN = Duration.ofSeconds(3);

  @Override
  public int port() {
    return http.port();
  }

  @Override
  public Optional<String> firstOwnerLink() {
    return operators.firstOwner().map(OperatorService.OneTimeLink::path);
  }

  @Override
  public void leave() {
    health.stopping();
    http.leave();
  }

  @Override
  public void close() {
    health.stopping();
    try {
      http.drain(DRAIN).await(DRAIN.toMillis() + 1_000, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn("Some connections did not close in time");
    }
    try {
      components.close();
    } catch (Exception e) {
      LOG.warn("Could not stop a component cleanly", e);
    }
  }
}
