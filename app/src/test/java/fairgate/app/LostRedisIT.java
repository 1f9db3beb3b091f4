package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/// Redis returns empty during a sale, and the sale is rebuilt from the ledger.
class LostRedisIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void soldUnitsStaySoldAndTheRestIsSold() throws Exception {
    try (TestEngines engines = TestEngines.privateEngines();
        TestFairgate server = TestFairgate.start(engines, engines.freshDatabase(), Map.of())) {
      server.createProduct("5", 3, "{\"preset\": \"queue\", \"ready_slots\": 100}");
      server.openSale("5");
      String first = buy(server);
      live(server, live -> live.path("confirmed").asInt() == 1);
      ledger(server, 1);

      engines.flushRedis();
      JsonNode after =
          live(
              server,
              live ->
                  live.path("epoch").asInt() > 1
                      && "open".equals(live.path("state").asText())
                      // Null while the ledger does not answer.
                      && live.path("balanced").isBoolean());
      assertThat(after.path("free").asInt()).isEqualTo(2);
      assertThat(after.path("confirmed").asInt()).isEqualTo(1);
      assertThat(after.path("balanced").asBoolean()).isTrue();
      assertThat(buy(server)).isNotEqualTo(first);
      assertThat(buy(server)).isNotEmpty();
      ledger(server, 3);
      assertThat(live(server, live -> live.path("free").asInt() == 0).path("confirmed").asInt())
          .isEqualTo(3);
    }
  }

  @Test
  void aScheduledSaleWithoutHistoryIsRestored() throws Exception {
    try (TestEngines engines = TestEngines.privateEngines();
        TestFairgate server = TestFairgate.start(engines, engines.freshDatabase(), Map.of())) {
      server.createProduct(
          "5", 3, "{\"preset\": \"queue\", \"opens_at\": \"2199-01-01T00:00:00Z\"}");
      engines.flushRedis();
      JsonNode after = live(server, live -> "scheduled".equals(live.path("state").asText()));
      assertThat(after.path("released").asInt()).isZero();
      HttpResponse<String> joined =
          Eventually.get("a place", () -> join(server), answer -> answer.statusCode() != 503);
      assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
    }
  }

  /// PostgreSQL is suspended, so the sale cannot be rebuilt meanwhile.
  @Test
  void noCallerLearnsThatTheProductIsMissing() {
    try (TestEngines engines = TestEngines.privateEngines();
        TestFairgate server = TestFairgate.start(engines, engines.freshDatabase(), Map.of())) {
      server.createProduct("5", 3, "{\"preset\": \"queue\"}");
      server.openSale("5");
      engines.pausePostgres();
      engines.flushRedis();
      unavailable(join(server));
      unavailable(purchase(server, "3f0c1c1e-7c1f-4d36-9a53-0d0f9e6f2a11"));
      engines.resumePostgres();
      Eventually.await("the sale is back", () -> join(server).statusCode() == 200);
    }
  }

  private static void unavailable(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
    assertThat(answer.headers().firstValue("retry-after")).isPresent();
  }

  private static HttpResponse<String> join(TestFairgate server) {
    return server.call(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"5\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}");
  }

  private static HttpResponse<String> purchase(TestFairgate server, String session) {
    return server.call(
        "POST", "/api/purchase", "{\"product_id\":\"5\",\"quantity\":1}", "X-Session-Id", session);
  }

  private static String buy(TestFairgate server) throws Exception {
    HttpResponse<String> joined =
        Eventually.get("a place", () -> join(server), answer -> answer.statusCode() == 200);
    String session = JSON.readTree(joined.body()).path("session_id").asText();
    HttpResponse<String> bought =
        Eventually.get(
            "a purchase",
            () -> server.buy(session, "5", session),
            answer -> answer.statusCode() == 200);
    return JSON.readTree(bought.body()).path("order_id").asText();
  }

  private static JsonNode live(TestFairgate server, Predicate<JsonNode> wanted) {
    return Eventually.get(
        "the sale as it should be",
        () -> JSON.readTree(server.admin("GET", "/products/5/live", "")),
        wanted);
  }

  private static void ledger(TestFairgate server, int orders) {
    JsonNode _ =
        Eventually.get(
            orders + " orders in the ledger",
            () -> JSON.readTree(server.admin("GET", "/orders?product_id=5", "")),
            answer -> answer.path("orders").size() >= orders);
  }
}
