package fairgate.app;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Method;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.run.BlockingWork;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Calls the pages of a starting node before it listens, so that the first buyers wait less for
/// Java's compiler, for connections to the engines and for caches.
///
/// It only reads, on a listener of its own on the loopback address: without limits, bans and audit,
/// and its calls are not in the metrics.
final class WarmUp {
  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
  private static final int CALLERS = 16;
  private static final int MAX_SALES = 3;
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(2);

  private final Ids ids;
  private final List<String> paths = new ArrayList<>();
  private final AtomicInteger calls = new AtomicInteger();
  private final long end;

  private WarmUp(Ids ids, List<ProductId> sales, Duration time) {
    this.ids = ids;
    this.end = System.nanoTime() + time.toNanos();
    paths.addAll(List.of("/", "/health/live", "/api/products"));
    for (ProductId sale : sales.subList(0, Math.min(MAX_SALES, sales.size()))) {
      paths.add("/p/" + sale.value());
      paths.add("/api/products/" + sale.value());
    }
  }

  /// Blocks for this time; does nothing if it is zero. Failures are ignored, because a node that is
  /// not warm serves as well.
  ///
  /// @param sales the sales that have work
  static void run(
      Vertx vertx,
      List<Route> routes,
      List<ProductId> sales,
      KeyRing keys,
      Ids ids,
      Duration time) {
    if (time.isZero()) {
      return;
    }
    List<Route> reading =
        routes.stream()
            .filter(route -> route.method() == Method.GET)
            .filter(route -> !route.path().startsWith("/api/admin/"))
            .toList();
    HttpServer server =
        HttpServer.start(
            vertx,
            HttpConfig.defaults().withAddress("127.0.0.1", 0).withMaxConnections(4 * CALLERS),
            reading,
            new HttpDependencies(ids, keys, new Metrics()));
    WarmUp warmUp = new WarmUp(ids, sales, time);
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      BlockingWork.forEach(
          "warm-up",
          IntStream.range(0, CALLERS).boxed().toList(),
          _ -> warmUp.call(client, "http://127.0.0.1:" + server.port()));
      LOG.info("Warmed up; calls={} millis={}", warmUp.calls.get(), time.toMillis());
    } finally {
      var _ = server.drain(Duration.ofMillis(1));
    }
  }

  /// Sends one call after the other until the time is over, or one fails.
  private void call(HttpClient client, String base) {
    try {
      while (System.nanoTime() < end) {
        int number = calls.getAndIncrement();
        String path =
            number % 2 == 0
                ? "/api/queue/status?session_id=" + ids.session().value()
                : paths.get(number / 2 % paths.size());
        HttpRequest request =
            HttpRequest.newBuilder(URI.create(base + path)).timeout(CALL_TIMEOUT).build();
        HttpResponse<Void> _ = client.send(request, HttpResponse.BodyHandlers.discarding());
      }
    } catch (IOException e) {
      LOG.debug("A call of the warm-up failed", e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
