package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.AddressBlock;
import fairgate.platform.http.stream.Forwarding.Proxies;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Future;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Objects;
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
        TestServer.of(
            ObserveRoutes.of(metrics, health, Request::isLocal, Request::isLocal)
                .toArray(Route[]::new))) {
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
      assertThat(server.get("/health/sale").statusCode()).isEqualTo(200);
      redis.set(Health.Status.down("gone"));
      health.refresh();
      HttpResponse<String> sale = server.get("/health/sale");
      assertThat(sale.statusCode()).isEqualTo(503);
      assertThat(sale.body()).contains("{\"status\":\"down\"", "gone");
      assertThat(server.get("/health/ready").statusCode()).as("it serves pages").isEqualTo(200);
      redis.set(Health.Status.good());
      health.refresh();
      health.stopping();
      assertThat(server.get("/health/sale").statusCode()).isEqualTo(503);
      assertThat(server.get("/health/ready").statusCode()).isEqualTo(503);
      assertThat(server.get("/health/live").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void onlyCallersWithAccessToMetricsSeeHealthDetails() {
    Health health = new Health();
    health.register(
        "redis", () -> Future.succeededFuture(Health.Status.worse("10.0.0.5:6379 is away")));
    health.refresh();
    try (TestServer server =
        TestServer.of(
            ObserveRoutes.of(new Metrics(), health, Request::isLocal, Request::isLocal)
                .toArray(Route[]::new))) {
      String local = ready(server, "Host: localhost");
      assertThat(local).contains("\"detail\":\"10.0.0.5:6379 is away\"");
      String stranger = ready(server, "Host: localhost\r\nX-Forwarded-For: 203.0.113.9");
      assertThat(stranger)
          .startsWith("HTTP/1.1 200")
          .contains("\"redis\":{\"status\":\"up\",\"degraded\":true}")
          .doesNotContain("10.0.0.5");
    }
  }

  private static String ready(TestServer server, String headers) {
    try (RawClient client = new RawClient(server.port())) {
      return client.write("GET /health/ready HTTP/1.1\r\n" + headers + "\r\n\r\n").readReply();
    }
  }

  @Test
  void metricsAreScraped() {
    Metrics metrics = new Metrics();
    metrics.watchJvm();
    metrics.counter("fairgate.test.things", "Things").increment();
    try (TestServer server =
        TestServer.of(
            ObserveRoutes.of(metrics, new Health(), Request::isLocal, Request::isLocal)
                .toArray(Route[]::new))) {
      HttpResponse<String> reply = server.get("/metrics");
      assertThat(reply.body()).contains("fairgate_test_things_total 1.0", "jvm_memory_used_bytes");
      assertThat(reply.headers().firstValue("content-type").orElse("")).startsWith("text/plain");
    }
  }

  @Test
  void metricsAreForLocalProgramsWithoutAProxyOnly() {
    Route[] routes =
        ObserveRoutes.of(new Metrics(), new Health(), Request::isLocal, Request::isLocal)
            .toArray(Route[]::new);
    try (TestServer server = TestServer.of(routes)) {
      assertThat(status(server, "Host: 127.0.0.1:8080")).isEqualTo("200");
      assertThat(status(server, "Host: localhost")).isEqualTo("200");
      assertThat(status(server, "Host: [::1]:8080")).isEqualTo("200");
      for (String remote :
          List.of(
              "Host: tickets.example.com",
              "Host: localhost.example.com",
              "Host: localhost\r\nX-Forwarded-For: 203.0.113.9",
              "Host: localhost\r\nX-Forwarded-Proto: https",
              "Host: localhost\r\nForwarded: for=127.0.0.1",
              "Host: localhost\r\nVia: 1.1 proxy",
              "Host: localhost\r\nX-Real-IP: 127.0.0.1",
              "Host: localhost\r\nCF-Connecting-IP: 127.0.0.1")) {
        assertThat(status(server, remote)).as(remote).isEqualTo("401");
      }
    }
    AddressBlock here = Objects.requireNonNull(AddressBlock.parse("127.0.0.1"));
    Proxies proxies = new Proxies(List.of(here), Proxies.Header.X_FORWARDED_FOR, false);
    try (TestServer server = TestServer.of(HttpConfig.defaults().withProxies(proxies), routes)) {
      assertThat(status(server, "Host: localhost")).as("behind a named proxy").isEqualTo("401");
    }
  }

  private static String status(TestServer server, String headers) {
    try (RawClient client = new RawClient(server.port())) {
      return client
          .write("GET /metrics HTTP/1.1\r\n" + headers + "\r\n\r\n")
          .readReply()
          .substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length());
    }
  }

  @Test
  void aPathHasOneSpelling() {
    Route[] routes =
        ObserveRoutes.of(new Metrics(), new Health(), Request::isLocal, Request::isLocal)
            .toArray(Route[]::new);
    try (TestServer server = TestServer.of(routes)) {
      for (String path :
          List.of(
              "/%6detrics",
              "/metric%73",
              "/%6Detrics",
              "/health%2Flive",
              "/health%2flive",
              "/health/./live",
              "/health/%2e/live",
              "/x/%2E%2e/metrics",
              "/health%5clive",
              "/health%2Dlive")) {
        try (RawClient client = new RawClient(server.port())) {
          assertThat(
                  client.write("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").readReply())
              .as(path)
              .startsWith("HTTP/1.1 400 ");
        }
      }
    }
  }
}
