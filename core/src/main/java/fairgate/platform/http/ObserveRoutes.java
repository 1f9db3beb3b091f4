package fairgate.platform.http;

import static fairgate.platform.http.RouteLimits.FREE;
import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.kernel.ErrorCode;
import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Predicate;

/// Routes for load balancers and Prometheus: `/health/live`, `/health/ready`, `/health/sale`,
/// `/metrics`.
public final class ObserveRoutes {
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private ObserveRoutes() {}

  /// Creates the routes.
  ///
  /// @param maySee whether a request may read the details of health; others receive names and
  ///   states only. Does not block
  /// @param mayScrape whether a request may read `/metrics`; others receive 401. May block
  public static List<Route> of(
      Metrics metrics, Health health, Predicate<Request> maySee, Predicate<Request> mayScrape) {
    Future<Reply> alive = Future.succeededFuture(Reply.json(200, "{\"status\":\"up\"}"));
    return List.of(
        Route.get("/health/live", _ -> alive).limits(FREE),
        Route.get(
                "/health/ready",
                request -> {
                  Health.Report report = health.report();
                  return Future.succeededFuture(
                      state(report, report.ready(), maySee.test(request)));
                })
            .limits(FREE),
        Route.get(
                "/health/sale",
                request -> {
                  Health.Report report = health.report();
                  return Future.succeededFuture(
                      state(report, report.selling(), maySee.test(request)));
                })
            .limits(FREE),
        Route.blockingGet(
                "/metrics",
                request ->
                    mayScrape.test(request)
                        ? scrape(metrics)
                        : Reply.refuse(ErrorCode.UNAUTHORIZED)
                            .header("www-authenticate", "Bearer realm=\"fairgate\""))
            .limits(PAGE.unslotted()));
  }

  private static Reply scrape(Metrics metrics) {
    byte[] text = metrics.scrape().getBytes(StandardCharsets.UTF_8);
    return Reply.bytes(200, PROMETHEUS, text).header("cache-control", "no-store").compressible();
  }

  /// @param detailed whether to include details, which may contain addresses of the internal
  ///   network
  private static Reply state(Health.Report report, boolean up, boolean detailed) {
    JsonText checks = JsonText.object();
    report.checks().forEach((name, status) -> checks.put(name, check(status, detailed)));
    byte[] body =
        JsonText.object()
            .put("status", up ? "up" : "down")
            .put("degraded", report.degraded())
            .put("checks", checks)
            .bytes();
    return Reply.json(up ? 200 : 503, body);
  }

  private static JsonText check(Health.Status status, boolean detailed) {
    JsonText json =
        JsonText.object()
            .put("status", status.up() ? "up" : "down")
            .put("degraded", status.degraded());
    return detailed ? json.put("detail", status.detail()) : json;
  }
}
