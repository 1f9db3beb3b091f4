package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Claims with every limit as it is when nobody sets any: those of all routes and those of claims
/// stand side by side and count nothing twice.
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
            Map.of("limits", "on", "server.trusted_proxies", "127.0.0.1"));
    server.admin("PUT", "/redeem/products/basic", "{\"name\":\"Card\",\"duration_days\":30}");
    StringBuilder file = new StringBuilder("order_id,product_id,status\n");
    for (int i = 10; i < 40; i++) {
      file.append(order(i)).append(",basic,paid\n");
    }
    server.admin("POST", "/orders/import", file.toString());
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!server.admin("GET", "/orders/import", "").contains("\"state\":\"done\"")) {
      assertThat(System.nanoTime()).as("the import ends").isLessThan(deadline);
      Thread.onSpinWait();
    }
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

  /// One claim, at the pace that any address may call: who is refused for that alone tries again.
  private HttpResponse<String> claim(String order, String device, String address, String cookie) {
    String body =
        "{\"order_id\":\"%s\",\"product_id\":\"basic\",\"device_id\":\"%s\"}"
            .formatted(order, device);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (true) {
      HttpResponse<String> answer =
          cookie.isEmpty()
              ? server.call("POST", "/api/redeem/claim", body, "X-Forwarded-For", address)
              : server.call(
                  "POST", "/api/redeem/claim", body, "X-Forwarded-For", address, "Cookie", cookie);
      if (!json(answer).path("violated_policies").toString().contains("ip")) {
        return answer;
      }
      assertThat(System.nanoTime()).as("the pace").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  @Test
  void tenClaimsAMinuteNotOneLess() {
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
  void twentyClaimsADayForOneBrowserWhereverItIs() {
    String cookie = "";
    Map<Integer, Integer> answers = new TreeMap<>();
    for (int i = 10; i < 31; i++) {
      HttpResponse<String> answer = claim(order(i), "mine", "198.51.100." + i, cookie);
      answers.merge(answer.statusCode(), 1, Integer::sum);
      if (cookie.isEmpty()) {
        List<String> set = answer.headers().allValues("set-cookie");
        cookie = set.getFirst().split(";", 2)[0];
      }
    }
    // The first one came before there was a cookie: it counts for what the client calls itself.
    assertThat(answers).isEqualTo(Map.of(200, 21));
    HttpResponse<String> next = claim(order(31), "mine", "198.51.100.99", cookie);
    assertThat(next.statusCode()).as(next.body()).isEqualTo(429);
  }
}
