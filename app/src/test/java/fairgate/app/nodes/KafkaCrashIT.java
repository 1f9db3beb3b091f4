package fairgate.app.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.MortalServer;
import fairgate.app.TestFairgate;
import fairgate.crowd.Answer;
import fairgate.crowd.ShopClient;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.http.Loops;
import fairgate.testkit.Eventually;
import fairgate.testkit.KafkaBroker;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A node dies after PostgreSQL has committed records from Kafka and before their offset is
/// committed.
@Tag("proof")
class KafkaCrashIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int BUYERS = 60;
  private static final int BUSY = 503;
  private static final String POLICY =
      """
      {"preset": "queue", "active_capacity": 100, "ready_slots": 100}
      """;

  private final TestEngines engines = TestEngines.shared();
  private final PostgresAddress database = engines.freshDatabase();
  private final Vertx vertx = Loops.vertx();
  private final Set<String> orders = new HashSet<>();

  @Test
  void aNodeThatDiesBetweenCommitAndOffsetDuplicatesNothing() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start()) {
      Map<String, String> kafka = Map.of("kafka.bootstrap_servers", broker.address());
      List<String> sessions = sellUntilItDies(kafka);
      try (TestFairgate server = TestFairgate.start(engines, database, kafka);
          ShopClient shop = new ShopClient(vertx, "127.0.0.1", server.port(), 50, 50_000)) {
        for (String session : sessions) {
          Answer answer =
              Eventually.get(
                  "an order",
                  () -> buy(shop, session).await(60, TimeUnit.SECONDS),
                  each -> !each.unknown() && each.status() != BUSY);
          assertThat(answer.ok()).as(answer.toString()).isTrue();
          orders.add(answer.text("order_id"));
        }
        assertThat(orders).hasSize(BUYERS);
        awaitLedger(server, orders);
        JsonNode live = JSON.readTree(server.admin("GET", "/products/7131/live", ""));
        assertThat(live.path("confirmed").asInt()).isEqualTo(BUYERS);
        awaitRest(server);
      }
    } finally {
      vertx.close().await(60, TimeUnit.SECONDS);
    }
  }

  private List<String> sellUntilItDies(Map<String, String> kafka) throws Exception {
    String feed = "fairgate.platform.events.KafkaLedgerConsumer";
    try (MortalServer mortal =
            MortalServer.start(engines, database, feed, "Committing offsets;", kafka);
        ShopClient shop = new ShopClient(vertx, "127.0.0.1", mortal.port(), 50, 50_000)) {
      List<String> sessions = open(shop);
      // Armed only now, because the units of the sale come through Kafka, too.
      mortal.arm();
      List<Future<Answer>> flying = sessions.stream().map(session -> buy(shop, session)).toList();
      for (Future<Answer> one : flying) {
        Answer answer = one.await(60, TimeUnit.SECONDS);
        if (answer.ok()) {
          orders.add(answer.text("order_id"));
        }
      }
      assertThat(mortal.awaitDeath()).isEqualTo(137);
      return sessions;
    }
  }

  private static List<String> open(ShopClient shop) throws Exception {
    var product =
        JSON.createObjectNode()
            .put("id", "7131")
            .put("name", "Ticket")
            .put("image_url", "")
            .put("price", 100)
            .put("total_stock", 2 * BUYERS);
    product.set("policy", JSON.readTree(POLICY));
    Answer made =
        shop.admin("POST", "/api/admin/products", TestFairgate.OPERATOR, product)
            .await(60, TimeUnit.SECONDS);
    assertThat(made.status()).isEqualTo(201);
    List<String> sessions = new ArrayList<>();
    for (int i = 0; i < BUYERS; i++) {
      Answer joined =
          Eventually.get(
              "a place",
              () -> shop.join("7131").await(60, TimeUnit.SECONDS),
              answer -> answer.status() != BUSY);
      assertThat(joined.ok()).as(joined.toString()).isTrue();
      sessions.add(joined.text("session_id"));
    }
    Answer opened =
        shop.admin("POST", "/api/admin/products/7131/open", TestFairgate.OPERATOR, null)
            .await(60, TimeUnit.SECONDS);
    assertThat(opened.ok()).isTrue();
    for (String session : sessions) {
      var _ =
          Eventually.get(
              "a turn",
              () -> shop.status(session).await(60, TimeUnit.SECONDS),
              answer -> answer.text("queue_status").equals("ready_to_purchase"));
    }
    return sessions;
  }

  private static Future<Answer> buy(ShopClient shop, String session) {
    return shop.purchase(session, "7131", 1, "", "key-" + session);
  }

  /// Dead letters would keep the ledger degraded. Offsets and Redis are updated shortly after the
  /// ledger has the records again.
  private static void awaitRest(TestFairgate server) {
    JsonNode _ =
        Eventually.get(
            "a ledger that is well",
            () -> JSON.readTree(server.call("GET", "/health/ready", "").body()),
            health -> !health.at("/checks/ledger/degraded").asBoolean(true));
  }

  private static void awaitLedger(TestFairgate server, Set<String> orders) {
    List<String> all =
        Eventually.get(
            orders.size() + " orders in the ledger",
            () -> {
              List<String> ids = new ArrayList<>();
              JSON.readTree(server.admin("GET", "/orders?product_id=7131&limit=500", ""))
                  .path("orders")
                  .forEach(order -> ids.add(order.path("order_id").asText()));
              assertThat(ids).doesNotHaveDuplicates();
              return ids;
            },
            ids -> ids.size() >= orders.size());
    assertThat(all).containsExactlyInAnyOrderElementsOf(orders);
  }
}
