package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/// Redis comes back empty in the middle of a sale: the sale is built anew from the ledger.
class LostRedisIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void whatWasSoldStaysSoldAndTheRestIsSoldOn() throws Exception {
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
              live -> live.path("epoch").asInt() > 1 && "open".equals(live.path("state").asText()));
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

  private static String buy(TestFairgate server) throws Exception {
    JsonNode joined =
        JSON.readTree(
            server
                .call(
                    "POST",
                    "/api/queue/join",
                    "{\"product_id\":\"5\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}")
                .body());
    String session = joined.path("session_id").asText();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (true) {
      JsonNode bought =
          JSON.readTree(
              server
                  .call(
                      "POST",
                      "/api/purchase",
                      "{\"product_id\":\"5\",\"quantity\":1}",
                      "X-Session-Id",
                      session)
                  .body());
      if (bought.path("success").asBoolean()) {
        return bought.path("order_id").asText();
      }
      assertThat(System.nanoTime()).as(bought.toString()).isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  private static JsonNode live(TestFairgate server, Predicate<JsonNode> wanted) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (true) {
      JsonNode live = JSON.readTree(server.admin("GET", "/products/5/live", ""));
      if (wanted.test(live)) {
        return live;
      }
      assertThat(System.nanoTime()).as(live.toString()).isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  private static void ledger(TestFairgate server, int orders) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (JSON.readTree(server.admin("GET", "/orders?product_id=5", "")).path("orders").size()
        < orders) {
      assertThat(System.nanoTime()).as("orders in the ledger").isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }
}
