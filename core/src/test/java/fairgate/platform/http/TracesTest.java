package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.kernel.AddressBlock;
import fairgate.kernel.Audit;
import fairgate.platform.http.stream.Forwarding.Proxies;
import fairgate.platform.observe.Metrics;
import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Spans as a collector receives them.
class TracesTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String CALLER = "00f067aa0ba902b7";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Vertx vertx = Loops.vertx();
  private final Metrics metrics = new Metrics();
  private final ConcurrentLinkedQueue<JsonNode> spans = new ConcurrentLinkedQueue<>();
  private final com.sun.net.httpserver.HttpServer collector = collector();
  private final HttpClient client = HttpClient.newHttpClient();
  private volatile int collectorStatus = 200;

  @AfterEach
  void stop() {
    client.close();
    collector.stop(0);
    var _ = vertx.close().await();
  }

  private com.sun.net.httpserver.HttpServer collector() {
    try {
      var server =
          com.sun.net.httpserver.HttpServer.create(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/v1/traces",
          exchange -> {
            JsonNode body = JSON.readTree(exchange.getRequestBody());
            body.at("/resourceSpans/0/scopeSpans/0/spans").forEach(spans::add);
            exchange.sendResponseHeaders(collectorStatus, -1);
            exchange.close();
          });
      server.start();
      return server;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private Traces traces(int perThousand) {
    URI url =
        URI.create("http://127.0.0.1:%d/v1/traces".formatted(collector.getAddress().getPort()));
    return new Traces(url, perThousand, Clock.systemUTC(), metrics);
  }

  private HttpServer server(Traces traces, boolean trusted) {
    HttpConfig config = HttpConfig.defaults().withAddress("127.0.0.1", 0);
    HttpConfig behind =
        config.withProxies(
            new Proxies(
                List.of(Objects.requireNonNull(AddressBlock.parse("127.0.0.1"))),
                Proxies.Header.X_FORWARDED_FOR,
                false));
    return HttpServer.start(
        vertx,
        trusted ? behind : config,
        List.of(
            Route.get("/api/products/{id}", _ -> Future.succeededFuture(Reply.noContent())),
            Route.get(
                "/i/{secret}", _ -> Future.failedFuture(new IllegalStateException("broken")))),
        new HttpDependencies(
            new TestServer.Counted(),
            TestServer.KEYS,
            metrics,
            null,
            Audit.none(),
            (_, _) -> {},
            null,
            traces,
            null));
  }

  private void call(HttpServer server, String path, @Nullable String traceparent)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .header("x-request-id", "request-1")
            .header("x-forwarded-for", "192.0.2.7");
    if (traceparent != null) {
      request.header("traceparent", traceparent);
    }
    var _ = client.send(request.build(), HttpResponse.BodyHandlers.discarding());
  }

  private List<JsonNode> received(Traces traces, int count) {
    traces.close();
    Eventually.await(count + " spans", () -> spans.size() == count);
    return new ArrayList<>(spans);
  }

  private static String attribute(JsonNode span, String key) {
    for (JsonNode each : span.path("attributes")) {
      if (each.path("key").asText().equals(key)) {
        return each.path("value").elements().next().asText();
      }
    }
    return "";
  }

  @Test
  void theTraceOfATrustedProxyGoesOn() throws Exception {
    Traces traces = traces(0);
    HttpServer server = server(traces, true);
    traces.start();
    call(server, "/api/products/7", "00-" + TRACE + "-" + CALLER + "-01");
    call(server, "/api/products/8", "00-" + TRACE + "-" + CALLER + "-00");
    call(server, "/api/products/9", "00-" + "0".repeat(32) + "-" + CALLER + "-01");
    call(server, "/api/products/9", null);
    JsonNode span = received(traces, 1).getFirst();
    assertThat(span.path("traceId").asText()).isEqualTo(TRACE);
    assertThat(span.path("parentSpanId").asText()).isEqualTo(CALLER);
    assertThat(span.path("spanId").asText()).hasSize(16).isNotEqualTo(CALLER);
    assertThat(span.path("name").asText()).isEqualTo("GET /api/products/{id}");
    assertThat(attribute(span, "fairgate.product")).isEqualTo("7");
    assertThat(attribute(span, "fairgate.request_id")).isEqualTo("request-1");
    assertThat(attribute(span, "http.response.status_code")).isEqualTo("204");
    assertThat(span.path("endTimeUnixNano").asLong())
        .isGreaterThanOrEqualTo(span.path("startTimeUnixNano").asLong());
    Eventually.await(
        "the span is counted",
        () -> metrics.scrape().contains("fairgate_trace_spans_total{result=\"sent\"} 1.0"));
  }

  @Test
  void aStrangerCannotContinueATraceAndSecretsOfPathsAreLeftOut() throws Exception {
    Traces traces = traces(1_000);
    HttpServer server = server(traces, false);
    traces.start();
    call(server, "/i/a-secret-invitation", "00-" + TRACE + "-" + CALLER + "-01");
    JsonNode span = received(traces, 1).getFirst();
    assertThat(span.path("traceId").asText()).hasSize(32).isNotEqualTo(TRACE);
    assertThat(span.has("parentSpanId")).isFalse();
    assertThat(span.at("/status/code").asInt()).isEqualTo(2);
    assertThat(span.toString()).contains("/i/{secret}").doesNotContain("a-secret-invitation");
  }

  @Test
  void spansThatTheCollectorDoesNotTakeAreCounted() throws Exception {
    collectorStatus = 500;
    Traces traces = traces(1_000);
    HttpServer server = server(traces, false);
    traces.start();
    call(server, "/api/products/7", null);
    var _ = received(traces, 1);
    Eventually.await(
        "the span is counted",
        () -> metrics.scrape().contains("fairgate_trace_spans_total{result=\"dropped\"} 1.0"));
  }
}
