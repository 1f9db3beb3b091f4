package fairgate.app.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The metrics of sales and checks before and during an outage of Redis.
class SaleMetricsIT {
  @Test
  void anOpenSaleHasItsPeopleAndUnitsUntilRedisIsAway() {
    try (TestEngines engines = TestEngines.privateEngines();
        TestFairgate server = TestFairgate.start(engines, engines.freshDatabase(), Map.of())) {
      server.admin(
          "POST",
          "/products",
          "{\"id\": \"7\", \"name\": \"Ticket\", \"price\": 100, \"total_stock\": 12}");
      server.admin("POST", "/products/7/open", "");
      Eventually.await(
          "the units of the sale",
          () -> has(server, "fairgate_sale_units{sale=\"7\",state=\"free\"} 12.0"));
      assertThat(server.metrics().body())
          .contains("fairgate_sale_open{sale=\"7\"} 1.0")
          .contains("fairgate_sale_units{sale=\"7\",state=\"held\"} 0.0")
          .contains("fairgate_sale_people{sale=\"7\",state=\"waiting\"} 0.0");
      Eventually.await(
          "the check is up", () -> has(server, "fairgate_check_up{check=\"redis\"} 1.0"));
      assertThat(
              server
                  .callUntilAccepted(
                      "POST",
                      "/api/queue/join",
                      "{\"product_id\":\"7\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}")
                  .statusCode())
          .isEqualTo(200);
      Eventually.await(
          "the time from the join to the admission",
          () -> has(server, "fairgate_queue_wait_seconds_count{sale=\"7\"} 1"));
      engines.killRedis();
      Eventually.await(
          "the check is down", () -> has(server, "fairgate_check_up{check=\"redis\"} 0.0"));
      Eventually.await("there are no old numbers", () -> !has(server, "fairgate_sale_units{"));
    }
  }

  private static boolean has(TestFairgate server, String text) {
    return server.metrics().body().contains(text);
  }
}
