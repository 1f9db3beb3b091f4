package fairgate.app.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestCluster;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.RedisCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A cluster of three masters, a server on it, and the actions of its buyers.
final class ClusterShop implements AutoCloseable {
  /// A policy with payment and purchase tokens.
  static final String FLASH =
      """
      {"preset": "flash", "max_quantity": 1, "max_per_user": 1, "max_per_device": 1}
      """;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final RedisCluster cluster = TestCluster.start();
  private final PostgresAddress database = TestEngines.shared().freshDatabase();
  private final TestFairgate server = node(Map.of());
  private int nextProduct = 700;

  RedisCluster cluster() {
    return cluster;
  }

  TestFairgate server() {
    return server;
  }

  /// Starts another server.
  TestFairgate node(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("redis.mode", "cluster");
    return TestFairgate.start(cluster.uri(0), database, all);
  }

  /// A server with the cluster configured as a single Redis.
  TestFairgate mistaken() {
    return TestFairgate.start(cluster.uri(0), database, Map.of());
  }

  /// An open sale with a number of units, on this master.
  String sale(int master, int units) {
    String id;
    do {
      id = Integer.toString(nextProduct++);
    } while (cluster.owner(cluster.slot("{" + id + "}")) != master);
    server.createProduct(id, units, FLASH);
    server.openSale(id);
    return id;
  }

  static String joinBody(String sale) {
    return "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}".formatted(sale);
  }

  /// A new buyer's session.
  String join(String sale) throws Exception {
    JsonNode[] joined = new JsonNode[1];
    // Right after a master's return, its connections may not be open yet.
    Eventually.await(
        () -> {
          joined[0] = json(server.call("POST", "/api/queue/join", joinBody(sale)).body());
          return joined[0].path("success").asBoolean();
        });
    return joined[0].path("session_id").asText();
  }

  JsonNode status(String session) {
    return call("GET", "/api/queue/status", "", session);
  }

  /// A new buyer's journey to a paid order; returns the response to the purchase.
  JsonNode buy(String sale) throws Exception {
    return buy(sale, join(sale));
  }

  /// The journey of a buyer who has joined.
  JsonNode buy(String sale, String session) throws Exception {
    JsonNode[] bought = new JsonNode[1];
    Eventually.await(
        () -> {
          String token = status(session).path("purchase_token").asText("");
          bought[0] = purchase(sale, session, token, "key-" + session);
          return bought[0].path("success").asBoolean();
        });
    String pay = "/api/orders/" + bought[0].path("order_id").asText() + "/pay";
    Eventually.await(
        () ->
            call("POST", pay, "{\"result\":\"paid\"}", session)
                .path("status")
                .asText()
                .equals("paid"));
    return bought[0];
  }

  JsonNode purchase(String sale, String session, String token, String key) {
    String body =
        "{\"product_id\":\"%s\",\"quantity\":1,\"purchase_token\":\"%s\"}".formatted(sale, token);
    HttpResponse<String> answer =
        server.callUntilAccepted(
            "POST", "/api/purchase", body, "X-Session-Id", session, "Idempotency-Key", key);
    return json(answer.body());
  }

  JsonNode call(String method, String path, String body, String session) {
    return json(server.callUntilAccepted(method, path, body, "X-Session-Id", session).body());
  }

  /// The counters of a sale, once its master answers.
  JsonNode live(String sale) throws Exception {
    String path = "/api/admin/products/" + sale + "/live";
    List<HttpResponse<String>> answers = new ArrayList<>();
    Eventually.await(
        () -> {
          answers.add(
              server.call("GET", path, "", "Authorization", "Bearer " + TestFairgate.OPERATOR));
          // Without a balance while the ledger does not answer.
          return answers.getLast().statusCode() == 200
              && json(answers.getLast().body()).path("balanced").isBoolean();
        });
    return json(answers.getLast().body());
  }

  String health() {
    return server.call("GET", "/health/ready", "").body();
  }

  /// Waits until the ledger has this number of paid orders of the sale.
  void paid(String sale, int orders) throws Exception {
    String query =
        "SELECT count(*) FROM orders WHERE status = 'paid' AND product_id = '" + sale + "'";
    Eventually.await(() -> sql(query).equals(Integer.toString(orders)));
  }

  String sql(String query) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(database), database.user(), database.password());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      return rows.next() ? String.valueOf(rows.getString(1)) : "";
    }
  }

  static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    server.close();
    cluster.close();
  }
}
