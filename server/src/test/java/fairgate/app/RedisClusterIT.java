package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestCluster;
import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.RedisCluster;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The whole server on a Redis Cluster of three masters: what buyers do, what moves, what dies.
class RedisClusterIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String FLASH =
      """
      {"preset": "flash", "max_quantity": 1, "max_per_user": 1, "max_per_device": 1}
      """;

  private static RedisCluster cluster;
  private static PostgresAddress database;
  private static TestFairgate server;
  private static int nextProduct = 700;

  @BeforeAll
  static void start() {
    cluster = TestCluster.start();
    database = TestEngines.shared().freshDatabase();
    server = node(Map.of());
  }

  @AfterAll
  static void stop() {
    server.close();
    cluster.close();
  }

  private static TestFairgate node(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("redis.mode", "cluster");
    return TestFairgate.start(cluster.uri(0), database, all);
  }

  /// A product whose sale lies on the master.
  private static String product(int master) {
    while (true) {
      String id = Integer.toString(nextProduct++);
      if (cluster.owner(cluster.slot("{" + id + "}")) == master) {
        return id;
      }
    }
  }

  /// An open sale of so many units on the master.
  private static String sale(int master, int units, String policy) {
    String id = product(master);
    server.createProduct(id, units, policy);
    server.openSale(id);
    return id;
  }

  @Test
  void buyersOfSalesOnAllMastersJoinWaitBuyPayAndStandInTheLedger() throws Exception {
    List<String> sales = new ArrayList<>();
    ScriptWatch watch = ScriptWatch.of(cluster);
    for (int master = 0; master < RedisCluster.MASTERS; master++) {
      sales.add(sale(master, 3, FLASH));
      sales.add(sale(master, 3, FLASH));
    }
    for (String sale : sales) {
      for (int i = 0; i < 3; i++) {
        assertThat(buy(sale).path("remaining_stock").asInt()).isEqualTo(2 - i);
      }
      String waits = join(sale).path("session_id").asText();
      assertThat(status(waits).path("stock").asInt(0)).isZero();
      assertThat(call("POST", "/api/queue/leave", "{}", waits).path("success").asBoolean(true))
          .isTrue();
    }
    for (String sale : sales) {
      eventually(
          () ->
              sql("SELECT count(*) FROM orders WHERE status = 'paid' AND product_id = '%s'"
                      .formatted(sale))
                  .equals("3"));
      JsonNode live = JSON.readTree(server.admin("GET", "/products/" + sale + "/live", ""));
      assertThat(live.path("confirmed").asInt()).isEqualTo(3);
      assertThat(live.path("balanced").asBoolean()).isTrue();
    }
    assertThat(sql("SELECT count(*) FROM dead_letters")).isEqualTo("0");
    assertThat(watch.scripts()).as("script runs seen").isGreaterThan(100);
    assertThat(watch.crossed()).as("scripts whose keys do not share a slot").isEmpty();
    watch.close();
  }

  @Test
  void aSessionIsFoundByItsIdAloneOnAnyNodeAndLivesOnTheMasterOfItsSale() throws Exception {
    String sale = sale(1, 0, FLASH);
    String session = join(sale).path("session_id").asText();
    String pointer = "session:" + session + ":product";
    assertThat(cluster.owner(cluster.slot(pointer))).isEqualTo(1);
    assertThat(cluster.call(1, "GET", pointer)).isEqualTo(sale);
    assertThat(Long.parseLong(cluster.call(1, "TTL", pointer))).isBetween(80_000L, 86_400L);
    assertThat(cluster.call(1, "EXISTS", "session:{" + sale + "}:" + session)).isEqualTo("1");
    try (TestFairgate other = node(Map.of())) {
      HttpResponse<String> found =
          other.call("GET", "/api/queue/status", "", "X-Session-Id", session);
      assertThat(JSON.readTree(found.body()).path("queue_status").asText())
          .isIn("waiting", "active");
    }
    String elsewhere = sale(2, 1, FLASH);
    assertThat(error(purchase(elsewhere, session, "", "k1"))).isEqualTo("NOT_IN_QUEUE");
    assertThat(error(purchase(sale, "00000000-0000-4000-8000-000000000000", "", "k2")))
        .isEqualTo("SESSION_NOT_FOUND");
    assertThat(call("POST", "/api/queue/leave", "{}", session).path("queue_status").asText(""))
        .isNotEqualTo("waiting");
  }

  @Test
  void limitsRefuseOneCallTooManyWhicheverNodeIsAsked() throws Exception {
    Map<String, String> limits =
        Map.of("limits", "on", "limit.budget_ms", "5000", "limit.login", "3/m window");
    try (TestFairgate one = node(limits);
        TestFairgate two = node(limits)) {
      List<Integer> codes = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        HttpResponse<String> answer =
            (i % 2 == 0 ? one : two)
                .call(
                    "POST",
                    "/api/v1/login",
                    "{\"username\":\"nobody\",\"password\":\"wrong-one\"}");
        codes.add(answer.statusCode());
      }
      assertThat(codes.subList(0, 3)).doesNotContain(429, 503);
      assertThat(codes.get(3)).isEqualTo(429);
    }
  }

  @Test
  void linksAccountsAndClaimsWork() throws Exception {
    String who = "{\"username\":\"cluster\",\"password\":\"correct horse battery\"}";
    assertThat(server.call("POST", "/api/v1/register", who).statusCode()).isEqualTo(201);
    assertThat(server.call("POST", "/api/v1/login", who).statusCode()).isEqualTo(200);

    String wanted = "{\"url\":\"https://example.com/cluster\"}";
    String code =
        JSON.readTree(server.call("POST", "/api/v1/shortlinks", wanted).body())
            .path("code")
            .asText();
    try (TestFairgate other = node(Map.of())) {
      for (TestFairgate one : List.of(server, other, other)) {
        HttpResponse<String> followed = one.call("GET", "/" + code, "");
        assertThat(followed.headers().firstValue("location"))
            .contains("https://example.com/cluster");
      }
    }
    String sale = sale(0, 1, FLASH);
    String order = buy(sale).path("order_id").asText();
    String claim =
        "{\"order_id\":\"%s\",\"product_id\":\"%s\",\"device_id\":\"web_abc123xyz456\"}"
            .formatted(order, sale);
    eventually(() -> server.call("POST", "/api/redeem/claim", claim).statusCode() == 200);
  }

  @Test
  void aSaleWhoseSlotMovesGoesOnAtItsNewMasterWithNothingLost() throws Exception {
    String sale = sale(0, 4, FLASH);
    buy(sale);
    String waiting = join(sale).path("session_id").asText();
    int slot = cluster.slot("{" + sale + "}");
    cluster.beginMove(slot, 0, 2);
    assertThat(cluster.moveKeys(slot, 0, 2, 3)).isEqualTo(3);
    HttpResponse<String> meanwhile = server.call("POST", "/api/queue/join", joinBody(sale));
    assertThat(meanwhile.statusCode()).as(meanwhile.body()).isEqualTo(503);
    assertThat(meanwhile.headers().firstValue("retry-after")).isPresent();
    cluster.endMove(slot, 0, 2);

    assertThat(bought(sale, waiting).path("success").asBoolean()).isTrue();
    buy(sale);
    buy(sale);
    eventually(
        () ->
            sql("SELECT count(*) FROM orders WHERE product_id = '%s' AND status = 'paid'"
                    .formatted(sale))
                .equals("4"));
    JsonNode live = JSON.readTree(server.admin("GET", "/products/" + sale + "/live", ""));
    assertThat(live.path("confirmed").asInt()).isEqualTo(4);
    assertThat(live.path("epoch").asInt()).as("nothing had to be built anew").isEqualTo(1);
    assertThat(cluster.call(0, "EXISTS", "product:stock:{" + sale + "}")).startsWith("MOVED");
  }

  @Test
  void whenAMasterDiesTheSalesOfOthersGoOnAndItsOwnComeBackWithIt() throws Exception {
    String lost = sale(1, 3, FLASH);
    String kept = sale(2, 3, FLASH);
    buy(lost);
    buy(kept);
    cluster.kill(1);
    eventually(() -> health().contains(cluster.node(1)));
    assertThat(server.call("GET", "/health/ready", "").statusCode()).isEqualTo(200);
    assertThat(JSON.readTree(health()).path("degraded").asBoolean()).isTrue();
    buy(kept);
    HttpResponse<String> refused = server.call("POST", "/api/queue/join", joinBody(lost));
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(error(JSON.readTree(refused.body()))).isEqualTo("SERVICE_UNAVAILABLE");
    eventually(
        () ->
            sql("SELECT count(*) FROM orders WHERE product_id = '%s' AND status = 'paid'"
                    .formatted(kept))
                .equals("2"));
    // New sales are set up meanwhile, and units released.
    String opened = sale(0, 1, FLASH);
    buy(opened);

    cluster.restart(1);
    eventually(() -> !health().contains(cluster.node(1)));
    buy(lost);
    buy(kept);
    buy(lost);
    eventually(
        () ->
            sql("SELECT count(*) FROM orders WHERE product_id = '%s' AND status = 'paid'"
                    .formatted(lost))
                .equals("3"));
    JsonNode live = JSON.readTree(server.admin("GET", "/products/" + lost + "/live", ""));
    assertThat(live.path("free").asInt()).isZero();
    assertThat(live.path("balanced").asBoolean()).isTrue();
  }

  private static String joinBody(String sale) {
    return "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}".formatted(sale);
  }

  private static JsonNode join(String sale) throws Exception {
    JsonNode[] joined = new JsonNode[1];
    // Right after a master came back its connections may still be on their way.
    eventually(
        () -> {
          joined[0] = JSON.readTree(server.call("POST", "/api/queue/join", joinBody(sale)).body());
          return joined[0].path("success").asBoolean();
        });
    return joined[0];
  }

  /// A new buyer's whole way to a paid order; gives the answer to the purchase.
  private static JsonNode buy(String sale) throws Exception {
    return bought(sale, join(sale).path("session_id").asText());
  }

  private static JsonNode bought(String sale, String session) throws Exception {
    JsonNode[] bought = new JsonNode[1];
    eventually(
        () -> {
          String token = status(session).path("purchase_token").asText("");
          bought[0] = purchase(sale, session, token, "key-" + session);
          return bought[0].path("success").asBoolean();
        });
    String order = bought[0].path("order_id").asText();
    eventually(
        () ->
            call("POST", "/api/orders/" + order + "/pay", "{\"result\":\"paid\"}", session)
                .path("status")
                .asText()
                .equals("paid"));
    return bought[0];
  }

  private static JsonNode status(String session) throws Exception {
    return call("GET", "/api/queue/status", "", session);
  }

  private static JsonNode purchase(String sale, String session, String token, String key)
      throws Exception {
    String body =
        "{\"product_id\":\"%s\",\"quantity\":1,\"purchase_token\":\"%s\"}".formatted(sale, token);
    HttpResponse<String> answer =
        server.call("POST", "/api/purchase", body, "X-Session-Id", session, "Idempotency-Key", key);
    return JSON.readTree(answer.body());
  }

  private static JsonNode call(String method, String path, String body, String session)
      throws Exception {
    return JSON.readTree(server.call(method, path, body, "X-Session-Id", session).body());
  }

  private static String error(JsonNode answer) {
    return answer.path("error").asText();
  }

  private static String health() {
    return server.call("GET", "/health/ready", "").body();
  }

  private interface Check {
    boolean holds() throws Exception;
  }

  /// Asks again and again, for twenty seconds at most.
  private static void eventually(Check check) throws Exception {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!check.holds()) {
      assertThat(System.nanoTime()).as("waited too long").isLessThan(deadline);
    }
  }

  private static String sql(String query) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(database), database.user(), database.password());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      return rows.next() ? String.valueOf(rows.getString(1)) : "";
    }
  }
}
