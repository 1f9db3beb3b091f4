package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.SlowProxy;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Redis is fast enough for sales and too slow for limits: a ready buyer can still buy.
class SlowLimiterIT {
  private static final Map<String, String> SETTINGS =
      Map.of("limits", "on", "limit.ip", "100/s", "limit.budget_ms", "1");

  @Test
  void aReadyBuyerBuysWhileLimitChecksTimeOut() throws IOException {
    try (TestEngines engines = TestEngines.privateEngines();
        SlowProxy proxy =
            new SlowProxy(Path.of(engines.redisUri().substring("unix://".length())))) {
      PostgresAddress database = engines.freshDatabase();
      // With another node there, Redis counts for both.
      try (TestFairgate _ = TestFairgate.start(engines, database, SETTINGS);
          TestFairgate server =
              TestFairgate.start("redis://127.0.0.1:" + proxy.port(), database, SETTINGS)) {
        server.createProduct("31", 5, "{\"preset\": \"queue\"}");
        server.openSale("31");
        proxy.delay(Duration.ofMillis(100));
        String session = join(server);
        Eventually.await(
            () ->
                server
                    .call("GET", "/api/queue/status", "", "X-Session-Id", session)
                    .body()
                    .contains("ready_to_purchase"));
        HttpResponse<String> bought =
            Eventually.get(
                "the server is not too busy for the purchase",
                () -> server.buy(session, "31", session),
                answer -> answer.statusCode() != 503);
        assertThat(bought.statusCode()).as(bought.body()).isEqualTo(200);
        assertThat(server.metrics().body())
            .containsPattern("fairgate_limit_degraded_total\\{policy=\"local-share\"} [1-9]");
      }
    }
  }

  private static String join(TestFairgate server) throws IOException {
    HttpResponse<String> joined =
        Eventually.get(
            "a place",
            () ->
                server.call(
                    "POST",
                    "/api/queue/join",
                    "{\"product_id\":\"31\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}"),
            answer -> answer.statusCode() == 200);
    return new ObjectMapper().readTree(joined.body()).get("session_id").asText();
  }
}
