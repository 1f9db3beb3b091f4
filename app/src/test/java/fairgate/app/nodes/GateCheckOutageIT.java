package fairgate.app.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import fairgate.testkit.RawHttp;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `/gate/check` while Redis does not answer.
@Timeout(180)
class GateCheckOutageIT {
  private static int check(TestFairgate node, String room, String... headers) {
    List<String> lines = new ArrayList<>(List.of(headers));
    lines.add("Accept: text/html");
    lines.add("X-Forwarded-Method: GET");
    lines.add("X-Forwarded-Proto: http");
    lines.add("X-Forwarded-Host: " + room + ".example.com");
    lines.add("X-Forwarded-Uri: /cart");
    lines.add("X-Forwarded-For: 203.0.113.7");
    String path = "/gate/check?d=caddy&room=" + room;
    return RawHttp.send(node.port(), "GET", path, lines.toArray(String[]::new)).status();
  }

  private static void room(TestFairgate node, String id, String failure) {
    String settings =
        """
        {"hosts": ["%s.example.com"], "mode": "on", "capacity": 100, "rate": 100,
         "paths": {"include": ["/"]}, "return_url": "http://%s.example.com/", "challenge": false%s}
        """
            .formatted(id, id, failure);
    String _ = node.admin("PUT", "/rooms/" + id, settings);
    Eventually.await(
        "the room has a head",
        () -> node.call("GET", "/q/" + id + "/head", "").statusCode() == 200);
  }

  @Test
  void passesAreAdmittedWithoutRedisAndOthersAsTheRoomsFailurePolicySays() {
    try (TestEngines engines = TestEngines.privateEngines();
        TestFairgate node =
            TestFairgate.start(
                engines,
                engines.freshDatabase(),
                Map.of("server.trusted_proxies", "127.0.0.1", "limits", "on"))) {
      room(node, "closed", "");
      room(node, "open", ", \"on_failure\": \"open\", \"open_minutes\": 60");
      String pass = RoomVisitor.join(node, "closed").pass();
      assertThat(check(node, "closed", pass)).isEqualTo(204);
      assertThat(check(node, "closed")).isEqualTo(302);
      // A node that stood still for three seconds opens it for a moment.
      Eventually.await("the other room is closed", () -> check(node, "open") == 302);

      engines.pauseRedis();
      for (int i = 0; i < 50; i++) {
        assertThat(check(node, "closed", pass)).isEqualTo(204);
      }
      assertThat(check(node, "closed", pass + "x")).isEqualTo(302);
      Eventually.await("the failure policy opens the room", () -> check(node, "open") == 204);
      assertThat(check(node, "closed")).isEqualTo(302);
      assertThat(check(node, "closed", pass)).isEqualTo(204);

      engines.resumeRedis();
      Eventually.await("the room is closed again", () -> check(node, "open") == 302);
      assertThat(check(node, "closed", pass)).isEqualTo(204);
    }
  }
}
