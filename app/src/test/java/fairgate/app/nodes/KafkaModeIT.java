package fairgate.app.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.KafkaBroker;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The whole server with a real Kafka between Redis and the ledger.
class KafkaModeIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @SuppressWarnings("NullAway.Init")
  private static KafkaBroker broker;

  @SuppressWarnings("NullAway.Init")
  private static TestEngines engines;

  @SuppressWarnings("NullAway.Init")
  private static PostgresAddress database;

  @BeforeAll
  static void start() {
    engines = TestEngines.privateEngines();
    database = engines.freshDatabase();
    broker = KafkaBroker.down();
  }

  @AfterAll
  static void stop() {
    broker.close();
    engines.close();
  }

  private static TestFairgate server() {
    return TestFairgate.start(
        engines, database, Map.of("kafka.bootstrap_servers", broker.address()));
  }

  @Test
  void aMissingClientFileIsReported() {
    Map<String, String> settings =
        Map.of("kafka.bootstrap_servers", broker.address(), "kafka.client_file", "/nowhere");
    assertThatThrownBy(() -> TestFairgate.start(engines, database, settings))
        .hasMessageContaining("kafka.client_file: cannot read /nowhere");
  }

  /// One test, because each step builds on the previous one: no Kafka, Kafka starts, Kafka dies,
  /// and Redis is lost while only Kafka has the sales.
  @Test
  void aSaleThroughKafkaFromTheChallengeToTheLedger() throws Exception {
    try (TestFairgate server = server()) {
      server.createProduct("31", 40, "{\"preset\": \"flash\", \"max_quantity\": 1}");
      server.openSale("31");
      Eventually.await("kafka is away", () -> check(server, "kafka").path("degraded").asBoolean());
      Eventually.await(
          "the node is ready", () -> server.call("GET", "/health/ready", "").statusCode() == 200);
      Buyer early = new Buyer(server, "31");
      early.buys();
      assertThat(sql("SELECT count(*) FROM orders")).isEqualTo("0");
      broker.restart();
      early.pays();
      Eventually.await("kafka is up", () -> !check(server, "kafka").path("degraded").asBoolean());
      Eventually.await("the ledger has it", () -> sql("SELECT status FROM orders").equals("paid"));
      Eventually.await("nothing is left", () -> metric(server, "fairgate_outbox_lag_entries") == 0);

      broker.kill();
      for (int i = 0; i < 4; i++) {
        new Buyer(server, "31").buys();
      }
      Eventually.await("they wait", () -> metric(server, "fairgate_outbox_lag_entries") == 4);
      broker.restart();
      Eventually.await("all are there", () -> sql("SELECT count(*) FROM orders").equals("5"));
      assertThat(sql("SELECT held || ' ' || confirmed FROM sale_totals")).isEqualTo("4 1");

      whatOnlyKafkaKnowsIsNotSoldAgain(server);
    }
  }

  private static void whatOnlyKafkaKnowsIsNotSoldAgain(TestFairgate server) throws Exception {
    engines.pausePostgres();
    Set<String> sold = new HashSet<>();
    for (int i = 0; i < 30; i++) {
      sold.add(new Buyer(server, "31").buys());
    }
    Eventually.await("they are in kafka", () -> metric(server, "fairgate_kafka_lag_entries") == 30);
    engines.flushRedis();
    engines.resumePostgres();
    Eventually.await(
        "the sale is back",
        () ->
            live(server).path("epoch").asInt() > 1
                && live(server).path("state").asText().equals("open"));
    assertThat(live(server).path("free").asInt()).isEqualTo(5);
    // Without a balance while the ledger does not answer.
    JsonNode balanced =
        Eventually.get(
            "the ledger answers", () -> live(server).path("balanced"), JsonNode::isBoolean);
    assertThat(balanced.asBoolean()).isTrue();
    for (int i = 0; i < 5; i++) {
      assertThat(sold.add(new Buyer(server, "31").buys())).isTrue();
    }
    Eventually.await("all is booked", () -> sql("SELECT count(*) FROM orders").equals("40"));
    assertThat(sql("SELECT held || ' ' || confirmed FROM sale_totals")).isEqualTo("39 1");
    assertThat(sql("SELECT count(*) FROM dead_letters")).isEqualTo("0");
  }

  /// A buyer of one unit.
  private static final class Buyer {
    private final TestFairgate server;
    private final String session;
    private String order = "";

    Buyer(TestFairgate server, String product) throws Exception {
      this.server = server;
      HttpResponse<String> joined =
          server.callUntilAccepted(
              "POST",
              "/api/queue/join",
              "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}"
                  .formatted(product));
      assertThat(joined.statusCode()).as("join: %s", joined.body()).isEqualTo(200);
      this.session = JSON.readTree(joined.body()).path("session_id").asText();
    }

    String buys() {
      Eventually.await(
          "bought",
          () -> {
            JsonNode place =
                JSON.readTree(
                    server.call("GET", "/api/queue/status", "", "X-Session-Id", session).body());
            String body =
                "{\"product_id\":\"31\",\"quantity\":1,\"purchase_token\":\"%s\"}"
                    .formatted(place.path("purchase_token").asText());
            HttpResponse<String> answer =
                server.call(
                    "POST",
                    "/api/purchase",
                    body,
                    "X-Session-Id",
                    session,
                    "Idempotency-Key",
                    "key-" + session);
            order = JSON.readTree(answer.body()).path("order_id").asText();
            return !order.isEmpty();
          });
      return order;
    }

    void pays() {
      HttpResponse<String> answer =
          server.callUntilAccepted(
              "POST", "/api/orders/" + order + "/pay", "", "X-Session-Id", session);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }
  }

  private static JsonNode check(TestFairgate server, String name) throws Exception {
    return JSON.readTree(server.call("GET", "/health/ready", "").body()).path("checks").path(name);
  }

  private static JsonNode live(TestFairgate server) throws Exception {
    return JSON.readTree(server.admin("GET", "/products/31/live", ""));
  }

  /// Not a number while the server is too busy to answer.
  private static double metric(TestFairgate server, String name) {
    return server
        .metrics()
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElse(Double.NaN);
  }

  private static String sql(String query) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(database), database.user(), database.password());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      return rows.next() ? rows.getString(1) : "";
    }
  }
}
