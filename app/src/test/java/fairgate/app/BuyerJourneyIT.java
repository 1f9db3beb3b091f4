package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.crowd.Answer;
import fairgate.crowd.Buyer;
import fairgate.crowd.ShopClient;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.http.Loops;
import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A buyer's journey through the whole server, and five thousand concurrent buyers.
@Tag("journey")
class BuyerJourneyIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Vertx CROWD = Loops.vertx();
  private static PostgresAddress database;
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    database = TestEngines.shared().freshDatabase();
    server = TestFairgate.start(TestEngines.shared(), database, Map.of());
  }

  @AfterAll
  static void stop() throws TimeoutException {
    server.close();
    CROWD.close().await(60, TimeUnit.SECONDS);
  }

  @Test
  void aBuyerJoinsWaitsBuysPaysAndClaimsAndTheLedgerHasTheOrder() throws Exception {
    server.createProduct("501", 3, "{\"preset\": \"flash\"}");
    try (ShopClient shop = client(4)) {
      Answer joined = accepted(() -> await(shop.join("501")));
      assertThat(joined.text("queue_status")).isEqualTo("waiting");
      String session = joined.text("session_id");
      assertThat(accepted(() -> await(shop.status(session))).text("sale_status"))
          .isEqualTo("scheduled");

      server.openSale("501");
      Answer ready = until(shop, session, "ready_to_purchase");
      Answer bought =
          accepted(
              () ->
                  await(shop.purchase(session, "501", 2, ready.text("purchase_token"), "journey")));
      assertThat(bought.ok()).isTrue();
      assertThat(bought.number("remaining_stock")).isEqualTo(1);
      assertThat(bought.text("status")).isEqualTo("pending");

      Answer paid = accepted(() -> await(shop.pay(session, bought.text("order_id"))));
      assertThat(paid.text("status")).isEqualTo("paid");
      assertThat(claimed(bought.text("order_id"))).startsWith("MHYDET-");
      assertThat(accepted(() -> await(shop.status(session))).text("queue_status"))
          .isEqualTo("purchased");
      Eventually.await(
          () ->
              sql("SELECT status || ' ' || quantity FROM orders WHERE order_id = '%s'"
                      .formatted(bought.text("order_id")))
                  .equals("paid 2"));
      assertThat(sql("SELECT held || ' ' || confirmed FROM sale_totals WHERE product_id = '501'"))
          .isEqualTo("0 2");
    }
  }

  /// Claims the purchase right after its payment; the ledger may lag behind.
  private static String claimed(String order) throws Exception {
    String body =
        "{\"order_id\":\"%s\",\"product_id\":\"501\",\"device_id\":\"web_abc123xyz456\"}"
            .formatted(order);
    HttpResponse<String> claimed =
        Eventually.get(
            "the claim",
            () -> {
              HttpResponse<String> answer = server.call("POST", "/api/redeem/claim", body);
              assertThat(answer.statusCode()).as(answer.body()).isIn(200, 503);
              return answer;
            },
            answer -> answer.statusCode() == 200);
    return JSON.readTree(claimed.body()).path("data").path("code").asText();
  }

  @Test
  void fiveThousandBuyersGetExactlyOneThousandUnits() throws Exception {
    server.createProduct(
        "502",
        1000,
        """
        {"preset": "flash", "max_quantity": 1, "active_capacity": 1500, "ready_slots": 1500,
         "admit_per_second": null, "payment": "none"}
        """);
    List<JsonNode> samples = new ArrayList<>();
    try (ShopClient shop = client(400)) {
      Buyer.Plan plan = new Buyer.Plan("502", 1, 300, 600_000);
      List<Future<Buyer.Result>> crowd = new ArrayList<>();
      for (int i = 0; i < 5_000; i++) {
        crowd.add(Buyer.go(CROWD, shop, plan));
      }
      server.openSale("502");
      // In quarters, because a busy machine may need more than the bound of one wait.
      for (int sold : List.of(250, 500, 750, 1_000)) {
        Eventually.await(
            sold + " are sold",
            () -> {
              JsonNode live = JSON.readTree(server.admin("GET", "/products/502/live", ""));
              samples.add(live);
              return live.path("confirmed").asLong() >= sold && live.path("balanced").isBoolean();
            });
      }
      server.admin("POST", "/products/502/close", "");
      assertOrdersGivenOnce(crowd, 1_000);
    }
    assertThat(samples)
        .allSatisfy(
            live -> {
              // Null while the ledger does not answer.
              assertThat(live.path("balanced").asBoolean(true)).isTrue();
              assertThat(live.path("confirmed").asLong()).isLessThanOrEqualTo(1_000);
              assertThat(live.path("active").asLong()).isLessThanOrEqualTo(1_500);
            });
    Eventually.await(
        () -> sql("SELECT count(*) FROM orders WHERE product_id = '502'").equals("1000"));
    assertThat(sql("SELECT count(DISTINCT session_id) FROM orders WHERE product_id = '502'"))
        .isEqualTo("1000");
    assertThat(sql("SELECT count(*) FROM dead_letters")).isEqualTo("0");
  }

  private static void assertOrdersGivenOnce(List<Future<Buyer.Result>> crowd, int orders)
      throws TimeoutException {
    Set<String> given = new HashSet<>();
    Set<String> sessions = new HashSet<>();
    for (Future<Buyer.Result> one : crowd) {
      Buyer.Result result = one.await(600, TimeUnit.SECONDS);
      if (!result.order().isEmpty()) {
        assertThat(given.add(result.order())).as("order given once").isTrue();
        assertThat(sessions.add(result.session())).as("session once").isTrue();
      }
    }
    assertThat(given).hasSize(orders);
  }

  @Test
  void theServedDescriptionMatchesTheRoutes() {
    OpenApiTest.assertDescribes(server.routes());
    HttpResponse<String> served = server.call("GET", "/openapi.yaml", "");
    assertThat(served.statusCode()).isEqualTo(200);
    assertThat(served.body()).startsWith("openapi: \"3.1");
  }

  private static ShopClient client(int connections) {
    return new ShopClient(CROWD, "127.0.0.1", server.port(), connections, 20_000);
  }

  /// Calls until the server is not too busy.
  private static Answer accepted(Callable<Answer> call) {
    return Eventually.get("an answer", call, answer -> !answer.unknown() && answer.status() != 503);
  }

  private static Answer until(ShopClient shop, String session, String state) {
    return Eventually.get(
        state,
        () -> await(shop.status(session)),
        answer -> answer.text("queue_status").equals(state));
  }

  private static <T> T await(Future<T> future) throws TimeoutException {
    return future.await(60, TimeUnit.SECONDS);
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
