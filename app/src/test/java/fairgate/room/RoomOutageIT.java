package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.room.token.KeyBinding;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Waiting rooms while Redis is away, and after it has come back.
class RoomOutageIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static JsonNode head(TestFairgate server) {
    HttpResponse<String> head = server.call("GET", "/q/tour/head", "");
    assertThat(head.statusCode()).as(head.body()).isEqualTo(200);
    return json(head);
  }

  private static JsonNode json(HttpResponse<String> response) {
    try {
      return JSON.readTree(response.body());
    } catch (IOException e) {
      throw new AssertionError(response.body(), e);
    }
  }

  private static HttpResponse<String> join(TestFairgate server, int browser, String... headers) {
    byte[] secret = new byte[32];
    secret[0] = (byte) browser;
    return server.call(
        "POST",
        "/q/tour/join",
        "{\"hold\": \"" + KeyBinding.ofSecret(secret).value() + "\"}",
        headers);
  }

  /// The answer to a join, as soon as it is accepted.
  private static HttpResponse<String> joined(TestFairgate server, int browser) {
    return Eventually.get(
        "a join is accepted", () -> join(server, browser), answer -> answer.statusCode() == 200);
  }

  private static String body(JsonNode place, int browser) {
    byte[] secret = new byte[32];
    secret[0] = (byte) browser;
    return "{\"place\": \"%s\", \"secret\": \"%s\"}"
        .formatted(
            place.path("place").asText(),
            Base64.getUrlEncoder().withoutPadding().encodeToString(secret));
  }

  @Test
  void headsGoOnNobodyEntersAndNobodyLosesAPlace() {
    try (TestEngines engines = TestEngines.privateEngines();
        TestFairgate server = TestFairgate.start(engines, engines.freshDatabase(), Map.of())) {
      server.admin(
          "PUT",
          "/rooms/tour",
          """
          {"hosts": ["127.0.0.1"], "mode": "on", "capacity": 1, "rate": 1000, "challenge": false,
           "return_url": "http://127.0.0.1/shop"}
          """);
      Eventually.await("the room is ready", () -> join(server, 0).statusCode() == 200);
      Eventually.await(
          "there is a head", () -> server.call("GET", "/q/tour/head", "").statusCode() == 200);
      JsonNode second = json(joined(server, 1));
      Eventually.await("the head knows both", () -> head(server).path("last").asLong() >= 2);
      long cursor = head(server).path("cursor").asLong();
      engines.killRedis();
      Eventually.await("the head is stale", () -> head(server).path("stale").asBoolean());
      assertThat(head(server).path("last").asLong()).isGreaterThanOrEqualTo(2);
      HttpResponse<String> refused = join(server, 2);
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.headers().firstValue("retry-after")).isPresent();
      assertThat(server.call("POST", "/q/tour/enter", body(second, 1)).statusCode()).isEqualTo(503);
      engines.restartRedis();
      Eventually.await("the head is fresh", () -> !head(server).path("stale").asBoolean());
      assertThat(head(server).path("epoch").asLong()).isEqualTo(second.path("epoch").asLong());
      assertThat(head(server).path("cursor").asLong()).isEqualTo(cursor);
      String here = "{\"place\": \"" + second.path("place").asText() + "\"}";
      Eventually.await(
          "the place is still there",
          () -> server.call("POST", "/q/tour/here", here).statusCode() == 204);
      assertThat(json(joined(server, 3)).path("ticket").asLong())
          .isGreaterThan(second.path("ticket").asLong());
    }
  }
}
