package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Future;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ObserveRoutesTest {
  @Test
  void readinessFollowsTheDependencies() {
    Metrics metrics = new Metrics();
    Health health = new Health();
    AtomicReference<Health.Status> redis = new AtomicReference<>(Health.Status.good());
    health.register("redis", () -> Future.succeededFuture(redis.get()));
    try (TestServer server =
        TestServer.of(ObserveRoutes.of(metrics, health).toArray(Route[]::new))) {
      assertThat(server.get("/health/live").body()).isEqualTo("{\"status\":\"up\"}");
      assertThat(server.get("/health/ready").statusCode()).isEqualTo(503);
      health.refresh();
      HttpResponse<String> ready = server.get("/health/ready");
      assertThat(ready.statusCode()).isEqualTo(200);
      assertThat(ready.body())
          .isEqualTo(
              "{\"status\":\"up\",\"degraded\":false,\"checks\":{\"redis\":{\"status\":\"up\","
                  + "\"degraded\":false,\"detail\":\"\"}}}");
      redis.set(Health.Status.worse("slow"));
      health.refresh();
      assertThat(server.get("/health/ready").body()).contains("\"degraded\":true", "slow");
      redis.set(Health.Status.down("gone"));
      health.refresh();
      assertThat(server.get("/health/ready").statusCode()).isEqualTo(503);
      redis.set(Health.Status.good());
      health.refresh();
      health.stopping();
      assertThat(server.get("/health/ready").statusCode()).isEqualTo(503);
      assertThat(server.get("/health/live").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void metricsAreScraped() {
    Metrics metrics = new Metrics();
    metrics.watchJvm();
    metrics.counter("fairgate.test.things", "Things").increment();
    try (TestServer server =
        TestServer.of(ObserveRoutes.of(metrics, new Health()).toArray(Route[]::new))) {
      HttpResponse<String> reply = server.get("/metrics");
      assertThat(reply.body()).contains("fairgate_test_things_total 1.0", "jvm_memory_used_bytes");
      assertThat(reply.headers().firstValue("content-type").orElse("")).startsWith("text/plain");
    }
  }
}
