package fairgate.app.data;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// While PostgreSQL is away, sales end before Redis is full, and go on when the ledger has caught
/// up.
@Timeout(300)
class OutboxLimitIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void nothingIsSoldWhileTooManyEventsWaitForTheLedger() throws Exception {
    try (TestEngines engines = TestEngines.privateEngines();
        TestFairgate server =
            TestFairgate.start(
                engines, engines.freshDatabase(), Map.of("redis.outbox_limit", "2"))) {
      server.createProduct(
          "5",
          10,
          """
          {"preset": "queue", "ready_slots": 100, "show_up_seconds": null,
           "presence_timeout_seconds": null}
          """);
      server.openSale("5");
      String first = join(server);
      String second = join(server);
      String third = join(server);
      engines.pausePostgres();
      HttpResponse<String> bought = bought(server, first, "key-of-the-first");
      HttpResponse<String> _ = bought(server, second, "key-of-the-second");
      Eventually.await(
          "the outbox is full",
          () ->
              server
                  .call("GET", "/health/sale", "")
                  .body()
                  .contains("\"outbox\":{\"status\":\"down\""));
      HttpResponse<String> refused = server.buy(third, "5", "key-of-the-third");
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
      assertThat(refused.headers().firstValue("retry-after")).isPresent();
      assertThat(bought(server, first, "key-of-the-first").body())
          .as("a repeat gets the first reply")
          .isEqualTo(bought.body());
      engines.resumePostgres();
      HttpResponse<String> _ = bought(server, third, "key-of-the-third");
    }
  }

  private static String join(TestFairgate server) throws Exception {
    HttpResponse<String> joined =
        server.callUntilAccepted(
            "POST",
            "/api/queue/join",
            "{\"product_id\":\"5\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}");
    assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
    return JSON.readTree(joined.body()).path("session_id").asText();
  }

  private static HttpResponse<String> bought(TestFairgate server, String session, String key) {
    return Eventually.get(
        "a purchase", () -> server.buy(session, "5", key), answer -> answer.statusCode() == 200);
  }
}
