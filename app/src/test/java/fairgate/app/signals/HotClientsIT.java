package fairgate.app.signals;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The list of clients with the most refused requests, on a running server.
class HotClientsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("server.trusted_proxies", "127.0.0.1", "signals.alarm_failures", "3"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static JsonNode json(String body) {
    try {
      return JSON.readTree(body);
    } catch (IOException e) {
      throw new AssertionError(body, e);
    }
  }

  private static void fail(String address, int times) {
    for (int i = 0; i < times; i++) {
      HttpResponse<String> reply =
          server.callUntilAccepted(
              "POST",
              "/api/queue/join",
              "{\"product_id\":\"1\",\"turnstile_token\":\"wrong\"}",
              "X-Forwarded-For",
              address);
      assertThat(reply.statusCode()).isBetween(400, 404);
    }
  }

  private static HttpResponse<String> reveal(String body) {
    return server.callUntilAccepted(
        "POST",
        "/api/admin/hot-clients/reveal",
        body,
        "Authorization",
        "Bearer " + TestFairgate.OPERATOR);
  }

  @Test
  void theListHasNoAddressesAndTheyAreRevealedForAReasonInTheAuditLog() {
    fail("203.0.113.7", 5);
    fail("198.51.100.7", 2);
    String list = server.admin("GET", "/hot-clients?limit=10", "");
    assertThat(list).doesNotContain("203.0.113.7");
    JsonNode worst = json(list).path("clients").get(0);
    assertThat(worst.path("failures").asInt()).isEqualTo(5);
    assertThat(worst.path("name").asText()).hasSize(22);

    assertThat(reveal("{}").statusCode()).isEqualTo(400);
    assertThat(reveal("{\"reason\": \" \"}").statusCode()).isEqualTo(400);
    assertThat(reveal("{\"reason\": \"x\", \"by\": \"name\"}").statusCode()).isEqualTo(400);
    HttpResponse<String> revealed = reveal("{\"reason\": \"alarm number 17\", \"limit\": 1}");
    assertThat(json(revealed.body()).path("clients").get(0).path("address").asText())
        .isEqualTo("203.0.113.7");
    assertThat(json(revealed.body()).path("clients").get(0).path("name"))
        .isEqualTo(worst.path("name"));
    assertThat(server.admin("GET", "/audit?kind=admin&limit=50", "")).contains("alarm number 17");
  }

  @Test
  void mistakesOfOperatorsAreNotInTheList() {
    for (int i = 0; i < 7; i++) {
      assertThat(reveal("{}").statusCode()).isEqualTo(400);
    }
    assertThat(json(server.admin("GET", "/hot-clients?limit=100", "")).path("clients"))
        .noneMatch(client -> client.path("failures").asInt() >= 7);
  }

  @Test
  void theMetricsCountClientsOverTheAlarm() {
    fail("203.0.113.8", 4);
    String metrics = server.metrics().body();
    assertThat(metrics)
        .containsPattern("fairgate_clients_over_alarm\\{by=\"address\"} [1-9]")
        .doesNotContain("203.0.113.8");
  }

  @Test
  void onlyAnOperatorSeesTheList() {
    assertThat(server.call("GET", "/api/admin/hot-clients", "").statusCode()).isEqualTo(401);
    assertThat(server.call("POST", "/api/admin/hot-clients/reveal", "{}").statusCode())
        .isEqualTo(401);
  }
}
