package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.room.token.KeyBinding;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Waiting visitors whose address sends junk.
class RoomLimitsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SECRET =
      Base64.getUrlEncoder().withoutPadding().encodeToString(new byte[32]);

  private static JsonNode json(HttpResponse<String> response) {
    try {
      return JSON.readTree(response.body());
    } catch (IOException e) {
      throw new AssertionError(response.body(), e);
    }
  }

  /// Uses up the limit of the address for this route; it is not refilled during the test.
  private static void junk(TestFairgate server, String method, String path) {
    Eventually.await(
        "junk is refused",
        () -> server.call(method, path, "{\"place\": \"junk\"}").statusCode() == 429);
  }

  @Test
  void junkOfTheSameAddressKeepsNobodyOutAndEndsNoPlace() {
    TestEngines.shared().flushRedis();
    try (TestFairgate server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "limits", "on",
                "limit.budget_ms", "5000",
                "limit.ip", "5/h window",
                "limit.page", "5/h window"))) {
      server.admin(
          "PUT",
          "/rooms/junk",
          """
          {"hosts": ["127.0.0.1"], "mode": "on", "capacity": 5, "rate": 1000, "challenge": false,
           "return_url": "http://127.0.0.1/shop"}
          """);
      Eventually.await(
          "the room has a head", () -> server.call("GET", "/q/junk/head", "").statusCode() == 200);
      String hold = KeyBinding.ofSecret(new byte[32]).value();
      HttpResponse<String> joined =
          server.callUntilAccepted("POST", "/q/junk/join", "{\"hold\": \"" + hold + "\"}");
      assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
      String place = json(joined).path("place").asText();
      HttpResponse<String> plain = server.callUntilAccepted("POST", "/q/junk/wait", "");
      assertThat(plain.statusCode()).as(plain.body()).isEqualTo(303);
      String cookie =
          plain.headers().allValues("set-cookie").stream()
              .filter(it -> it.startsWith("fairgate_place_"))
              .map(it -> it.substring(0, it.indexOf(';')))
              .findFirst()
              .orElseThrow();

      junk(server, "POST", "/q/junk/enter");
      junk(server, "POST", "/q/junk/here");
      junk(server, "GET", "/q/junk/pass?turn=junk");
      String forged = place.substring(0, place.indexOf('.') + 1) + "e30.AAAA";
      assertThat(server.call("POST", "/q/junk/here", "", "X-Fairgate-Place", forged).statusCode())
          .as("a made-up token counts by address")
          .isEqualTo(429);

      assertThat(
              server
                  .callUntilAccepted("POST", "/q/junk/here", "", "X-Fairgate-Place", place)
                  .statusCode())
          .isEqualTo(204);
      assertThat(
              server.callUntilAccepted("GET", "/q/junk/dot.gif", "", "Cookie", cookie).statusCode())
          .as("a visitor without JavaScript")
          .isEqualTo(200);
      Eventually.await(
          "the turn has come",
          () -> json(server.call("GET", "/q/junk/head", "")).path("cursor").asLong() > 0);
      HttpResponse<String> entered =
          server.callUntilAccepted(
              "POST",
              "/q/junk/enter",
              "{\"secret\": \"" + SECRET + "\"}",
              "X-Fairgate-Place",
              place,
              "Accept",
              "application/json");
      assertThat(entered.statusCode()).as(entered.body()).isEqualTo(200);
      URI location = URI.create(json(entered).path("location").asText());
      HttpResponse<String> passed =
          server.callUntilAccepted("GET", location.getRawPath() + '?' + location.getRawQuery(), "");
      assertThat(passed.statusCode()).as(passed.body()).isEqualTo(303);
      assertThat(passed.headers().allValues("set-cookie"))
          .anyMatch(it -> it.startsWith("fairgate_pass_junk="));
    }
  }
}
