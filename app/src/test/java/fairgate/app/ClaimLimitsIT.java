package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Claims with all limits at their defaults: the limits of all routes and those of claims apply
/// together and count nothing twice.
class ClaimLimitsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String BUYER = "203.0.113.77";

  private TestFairgate server;

  @BeforeEach
  void start() {
    TestEngines.shared().flushRedis();
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            // A long budget, so that a busy machine does not make Redis seem unavailable.
            Map.of(
                "limits", "on", "limit.budget_ms", "5000", "server.trusted_proxies", "127.0.0.1"));
    server.admin("PUT", "/redeem/products/basic", "{\"name\":\"Card\",\"duration_days\":30}");
    StringBuilder file = new StringBuilder("order_id,product_id,status\n");
    for (int i = 10; i < 40; i++) {
      file.append(order(i)).append(",basic,paid\n");
    }
    server.admin("POST", "/orders/import", file.toString());
    Eventually.await(
        "the import ends",
        () -> server.admin("GET", "/orders/import", "").contains("\"state\":\"done\""));
  }

  @AfterEach
  void stop() {
    server.close();
    TestEngines.shared().flushRedis();
  }

  private static String order(int number) {
    return "TB202601081234567" + number;
  }

  private static JsonNode json(HttpResponse<String> answer) {
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }

  /// Sends a claim; retries when only the general rate limit refuses it, or the server is too busy.
  private HttpResponse<String> claim(String order, String device, String address, String cookie) {
    String body =
        "{\"order_id\":\"%s\",\"product_id\":\"basic\",\"device_id\":\"%s\"}"
            .formatted(order, device);
    String[] headers =
        cookie.isEmpty()
            ? new String[] {"X-Forwarded-For", address}
            : new String[] {"X-Forwarded-For", address, "Cookie", cookie};
    return Eventually.get(
        "an answer that is not for the address's pace",
        () -> server.call("POST", "/api/redeem/claim", body, headers),
        answer ->
            answer.statusCode() != 503
                && !json(answer).path("violated_policies").toString().contains("ip"));
  }

  @Test
  void exactlyTenClaimsAMinuteAreAllowed() {
    for (int i = 10; i < 20; i++) {
      HttpResponse<String> answer = claim(order(i), "device" + i, BUYER, "");
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }
    HttpResponse<String> eleventh = claim(order(20), "device20", BUYER, "");
    assertThat(eleventh.statusCode()).as(eleventh.body()).isEqualTo(429);
    assertThat(json(eleventh).path("error").asText()).isEqualTo("RATE_LIMIT_EXCEEDED");
    assertThat(eleventh.headers().firstValueAsLong("retry-after").orElseThrow()).isBetween(1L, 60L);
    assertThat(claim(order(20), "device20", "203.0.113.78", "").statusCode()).isEqualTo(200);
  }

  @Test
  void twentyClaimsADayAreAllowedForADeviceAtAnyAddress() {
    String cookie = "";
    Map<Integer, Integer> answers = new TreeMap<>();
    for (int i = 10; i < 30; i++) {
      HttpResponse<String> answer = claim(order(i), "mine", "198.51.100." + i, cookie);
      answers.merge(answer.statusCode(), 1, Integer::sum);
      if (cookie.isEmpty()) {
        List<String> set = answer.headers().allValues("set-cookie");
        cookie = set.getFirst().split(";", 2)[0];
      }
    }
    assertThat(answers).isEqualTo(Map.of(200, 20));
    for (String browser : List.of(cookie, "")) {
      HttpResponse<String> next = claim(order(30), "mine", "198.51.100.99", browser);
      assertThat(next.statusCode()).as(next.body()).isEqualTo(429);
    }
  }

  /// Twenty unknown orders ban a device.
  @Test
  void aDeviceNameIsNotBannedBecauseOthersUseItElsewhere() {
    for (int i = 0; i < 20; i++) {
      assertThat(claim("3211058044799990" + (100 + i), "hers", "192.0.2." + i, "").statusCode())
          .isEqualTo(400);
    }
    HttpResponse<String> hers = claim(order(32), "hers", "203.0.113.79", "");
    assertThat(hers.statusCode()).as(hers.body()).isEqualTo(429);
    assertThat(json(hers).path("error").asText()).isEqualTo("RATE_LIMIT_EXCEEDED");
  }
}
