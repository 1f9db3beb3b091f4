package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The random order of those who join before the opening, on two nodes and over a restart of Redis.
class RandomOrderIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int PEOPLE = 40;
  private static final String POLICY =
      """
      {"preset": "flash", "active_capacity": 1, "ready_slots": 1, "show_up_seconds": null,
       "presence_timeout_seconds": null}
      """;

  @Test
  void bothNodesHaveOneOrderAndARestartKeepsIt() {
    try (TestEngines engines = TestEngines.privateEngines()) {
      PostgresAddress database = engines.freshDatabase();
      try (TestFairgate one = TestFairgate.start(engines, database, Map.of());
          TestFairgate two = TestFairgate.start(engines, database, Map.of())) {
        one.createProduct("5", 10, POLICY);
        List<String> order = joined(engines, List.of(one, two));
        engines.killRedis();
        engines.restartRedis();
        Eventually.await("Redis is back", () -> place(one, order.getFirst()) == -1);
        Eventually.await("at both nodes", () -> place(two, order.getFirst()) == -1);
        one.openSale("5");
        // One of them is active; the position of the last one shows that the order is visible.
        int last = PEOPLE - 2;
        Eventually.await("open", () -> place(one, order.getLast()) == last);
        Eventually.await("open at both nodes", () -> place(two, order.getLast()) == last);
        assertThat(inOrder(one, order)).isEqualTo(order);
        assertThat(inOrder(two, order)).isEqualTo(order);
      }
    }
  }

  /// The order in Redis after everybody has joined; nobody is told a position.
  private static List<String> joined(TestEngines engines, List<TestFairgate> nodes) {
    String redis = engines.redisUri();
    // A killed Redis loses nothing that was answered.
    assertThat(RespConnection.call(redis, "CONFIG", "SET", "appendfsync", "always"))
        .isEqualTo("OK");
    List<String> arrival = new ArrayList<>();
    for (int i = 0; i < PEOPLE; i++) {
      JsonNode joined = json(join(nodes.get(i % nodes.size())));
      assertThat(joined.path("queue_position_waiting").asInt()).isEqualTo(-1);
      arrival.add(joined.path("session_id").asText());
    }
    nodes.forEach(
        node -> arrival.forEach(session -> assertThat(shown(node, session)).isEqualTo(-1)));
    String members = RespConnection.call(redis, "ZRANGE", "queue:waiting:product:5", "0", "-1");
    List<String> order = members.lines().toList();
    assertThat(order).containsExactlyInAnyOrderElementsOf(arrival).isNotEqualTo(arrival);
    return order;
  }

  /// The sessions as a node reports their positions; those in front of the queue first.
  private static List<String> inOrder(TestFairgate node, List<String> sessions) {
    Map<String, Integer> places = new HashMap<>();
    sessions.forEach(session -> places.put(session, shown(node, session)));
    return sessions.reversed().stream().sorted(Comparator.comparing(places::get)).toList();
  }

  private static HttpResponse<String> join(TestFairgate node) {
    return node.callUntilAccepted(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"5\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}");
  }

  /// The position in waiting; -1 while it is hidden or the session is further, -2 without a reply.
  private static int place(TestFairgate node, String session) {
    HttpResponse<String> reply = node.call("GET", "/api/queue/status", "", "X-Session-Id", session);
    return reply.statusCode() == 200 ? json(reply).path("queue_position_waiting").asInt() : -2;
  }

  /// The same, from the first reply.
  private static int shown(TestFairgate node, String session) {
    return Eventually.get("a reply", () -> place(node, session), place -> place != -2);
  }

  private static JsonNode json(HttpResponse<String> reply) {
    try {
      return JSON.readTree(reply.body());
    } catch (IOException e) {
      throw new AssertionError(reply.body(), e);
    }
  }
}
