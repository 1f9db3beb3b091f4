package fairgate.platform.http;

import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// What balancers and Prometheus ask for: `/health/live`, `/health/ready`, `/metrics`.
public final class ObserveRoutes {
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private ObserveRoutes() {}

  public static List<Route> of(Metrics metrics, Health health) {
    Future<Reply> alive = Future.succeededFuture(Reply.json(200, "{\"status\":\"up\"}"));
    return List.of(
        Route.get("/health/live", _ -> alive),
        Route.get("/health/ready", _ -> Future.succeededFuture(ready(health.report()))),
        Route.blockingGet("/metrics", _ -> scrape(metrics)));
  }

  private static Reply scrape(Metrics metrics) {
    byte[] text = metrics.scrape().getBytes(StandardCharsets.UTF_8);
    return Reply.bytes(200, PROMETHEUS, text).header("cache-control", "no-store");
  }

  private static Reply ready(Health.Report report) {
    JsonText checks = JsonText.object();
    report
        .checks()
        .forEach(
            (name, status) ->
                checks.put(
                    name,
                    JsonText.object()
                        .put("status", status.up() ? "up" : "down")
                        .put("degraded", status.degraded())
                        .put("detail", status.detail())));
    byte[] body =
        JsonText.object()
            .put("status", report.ready() ? "up" : "down")
            .put("degraded", report.degraded())
            .put("checks", checks)
            .bytes();
    return Reply.json(report.ready() ? 200 : 503, body);
  }
}
