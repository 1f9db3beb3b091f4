package fairgate.app.payments;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// A sale with a deposit on the whole server, from the policy to the refund, in the sandbox.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DepositIT {
  private static final String POLICY =
      """
      {"preset": "queue", "payment": "required", "payment_window_seconds": 600,
       "active_capacity": 10, "ready_slots": 10, "deposit": {"percent": 20, "passed": "kept"}}
      """;
  private static final String FORM = "application/x-www-form-urlencoded";

  private TestFairgate server;

  @BeforeAll
  void start() {
    server = TestFairgate.start();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private static String location(HttpResponse<String> reply) {
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(303);
    return reply.headers().firstValue("location").orElseThrow();
  }

  /// Pays a deposit on the pages, without JavaScript.
  private static String deposit(Buyer buyer, String product) {
    String page = "/p/" + product + "/deposit";
    assertThat(buyer.get("/p/" + product).body()).contains(page);
    assertThat(buyer.get(page).body()).contains("It counts towards the price");
    String pay = location(buyer.call("POST", page, "", "Content-Type", FORM));
    assertThat(location(buyer.call("POST", page, "", "Content-Type", FORM))).isEqualTo(pay);
    assertThat(buyer.get(pay).statusCode()).isEqualTo(200);
    assertThat(location(buyer.call("POST", pay, "result=paid", "Content-Type", FORM)))
        .isEqualTo(page);
    assertThat(buyer.get(page).body())
        .contains("Your deposit is paid.")
        .doesNotContain("id=\"pay\"");
    return pay.substring("/pay/".length());
  }

  private static JsonNode read(Buyer buyer, String deposit) {
    return Buyer.json(buyer.callUntilAccepted("GET", "/api/deposits/" + deposit, "").body());
  }

  private static void awaitStatus(Buyer buyer, String deposit, String status) {
    Eventually.await(
        "the deposit is " + status,
        () -> read(buyer, deposit).path("status").asText().equals(status));
  }

  @Test
  void aDepositIsPaidCountedAndReturned() {
    server.createProduct("71", 1, POLICY);
    server.openSale("71");
    Buyer winner = new Buyer(server);
    HttpResponse<String> refused =
        winner.callUntilAccepted(
            "POST",
            "/api/queue/join",
            "{\"product_id\":\"71\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}");
    assertThat(refused.statusCode()).isEqualTo(402);
    assertThat(refused.body()).contains("DEPOSIT_REQUIRED");
    String counted = deposit(winner, "71");
    Buyer loser = new Buyer(server);
    String returned = deposit(loser, "71");
    assertThat(loser.get("/api/deposits/" + counted).statusCode()).isEqualTo(404);

    String order = winner.reserve("71");
    assertThat(winner.order(order).path("amount").asInt()).isEqualTo(80);
    assertThat(
            winner
                .callUntilAccepted("POST", "/api/orders/" + order + "/pay", "{\"result\":\"paid\"}")
                .statusCode())
        .isEqualTo(200);
    awaitStatus(winner, counted, "counted");
    assertThat(read(winner, counted).path("order_id").asText()).isEqualTo(order);

    server.admin("POST", "/products/71/close", "");
    awaitStatus(loser, returned, "returned");
    Eventually.await(
        "the refund is made", () -> sums("71").path("returned").path("refunded").asInt() == 1);
    assertThat(sums("71").path("counted").path("amount").asInt()).isEqualTo(20);

    server.admin("POST", "/orders/" + order + "/refund", "{\"reason\":\"the show was moved\"}");
    awaitStatus(winner, counted, "returned");
    Eventually.await(
        "both refunds are made",
        () -> sums("71").path("returned").path("amount_refunded").asInt() == 40);
  }

  @Test
  void nobodyPaysADepositWhoCouldNotJoinAndAFreeOneGoesBack() {
    server.createProduct(
        "74", 5, POLICY.replace("\"payment\"", "\"max_per_user\": 1, \"payment\""));
    server.openSale("74");
    Buyer owner = new Buyer(server);
    String used = deposit(owner, "74");
    assertThat(owner.get("/p/74").body()).contains("Your deposit of NT$0.20 is paid.");
    String order = owner.reserve("74");
    assertThat(owner.callUntilAccepted("DELETE", "/api/deposits/" + used, "").body())
        .contains("DEPOSIT_STATE_CONFLICT", "\"status\":\"paid\"");
    assertThat(owner.order(order).path("deposit").asInt()).isEqualTo(20);
    assertThat(owner.get("/p/74").body()).contains("<dt>Deposit</dt><dd>\u2212NT$0.20</dd>");
    assertThat(owner.get("/o/" + order).body())
        .contains(
            "<dt>Deposit</dt><dd>\u2212NT$0.20</dd>", "The shop keeps your deposit of NT$0.20.");
    Eventually.await(
        "operators see the deposit",
        () -> server.admin("GET", "/orders/" + order, "").contains("\"deposit_id\":\"" + used));
    assertThat(
            owner
                .callUntilAccepted("POST", "/api/orders/" + order + "/pay", "{\"result\":\"paid\"}")
                .statusCode())
        .isEqualTo(200);
    awaitStatus(owner, used, "counted");
    HttpResponse<String> limited =
        owner.callUntilAccepted("POST", "/api/deposits", "{\"product_id\":\"74\"}");
    assertThat(limited.statusCode()).isEqualTo(409);
    assertThat(limited.body()).contains("PURCHASE_LIMIT_REACHED");
    assertThat(owner.get("/p/74/deposit").body())
        .contains("id=\"problem\"")
        .doesNotContain("id=\"pay\"", "id=\"join\"");
    assertThat(owner.get("/p/74").body()).doesNotContain("/p/74/deposit");

    Buyer other = new Buyer(server);
    String free = deposit(other, "74");
    assertThat(owner.callUntilAccepted("DELETE", "/api/deposits/" + free, "").statusCode())
        .isEqualTo(404);
    assertThat(other.get("/p/74/deposit").body()).contains("id=\"back\"");
    assertThat(other.call("POST", "/p/74/deposit/back", "", "Content-Type", FORM).body())
        .contains("Your deposit of NT$0.20 goes back to you.")
        .doesNotContain("id=\"pay\"");
    HttpResponse<String> again = other.callUntilAccepted("DELETE", "/api/deposits/" + free, "");
    assertThat(again.statusCode()).as("a repeat").isEqualTo(200);
    assertThat(again.body()).contains("\"status\":\"returned\"");
    JsonNode refused = Buyer.json(join(other, "74").body());
    assertThat(refused.path("deposit").asInt()).isEqualTo(20);
    assertThat(refused.path("deposit_url").asText()).isEqualTo("/p/74/deposit");
    assertThat(refused.path("deposit_passed").asText()).isEqualTo("kept");
  }

  @Test
  void pagesTellWhatBecomesOfTheDepositOfAPlace() {
    server.createProduct("75", 1, POLICY);
    Buyer buyer = new Buyer(server);
    String deposit = deposit(buyer, "75");
    assertThat(join(buyer, "75").statusCode()).isEqualTo(200);
    assertThat(buyer.get("/p/75").body())
        .contains("If you leave, your deposit of NT$0.20 goes back to you.");
    server.openSale("75");
    Eventually.await(() -> buyer.get("/api/queue/status").body().contains("ready_to_purchase"));
    assertThat(buyer.get("/p/75").body())
        .contains("It counts towards the price.", "do not pay the rest, the shop keeps it.");
    HttpResponse<String> left =
        buyer.callUntilAccepted("POST", "/p/75/leave", "", "Content-Type", FORM);
    assertThat(left.statusCode()).isEqualTo(303);
    awaitStatus(buyer, deposit, "kept");
    assertThat(buyer.get("/p/75").body())
        .contains("The shop keeps your deposit of NT$0.20.", "Join with a deposit of");
  }

  private static HttpResponse<String> join(Buyer buyer, String product) {
    return buyer.callUntilAccepted(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}".formatted(product));
  }

  private JsonNode sums(String product) {
    return Buyer.json(server.admin("GET", "/products/" + product + "/deposits", ""));
  }

  @Test
  void aPolicyThatCannotHaveADepositIsRefused() {
    for (String policy :
        new String[] {
          "{\"deposit\": {\"percent\": 20}}",
          "{\"payment\": \"required\", \"deposit\": {}}",
          "{\"payment\": \"required\", \"deposit\": {\"percent\": 20, \"amount\": 5}}",
          "{\"payment\": \"required\", \"deposit\": {\"amount\": 101}}",
        }) {
      HttpResponse<String> reply =
          server.callUntilAccepted(
              "POST",
              "/api/admin/products",
              "{\"id\":\"72\",\"name\":\"T\",\"image_url\":\"\",\"price\":100,\"total_stock\":1,\"policy\":"
                  + policy
                  + "}",
              "Authorization",
              "Bearer " + TestFairgate.OPERATOR);
      assertThat(reply.statusCode()).as(reply.body()).isEqualTo(400);
      assertThat(reply.body()).contains("deposit");
    }
    server.createProduct("73", 1, "{\"preset\": \"queue\"}");
    Buyer buyer = new Buyer(server);
    HttpResponse<String> none =
        buyer.callUntilAccepted("POST", "/api/deposits", "{\"product_id\":\"73\"}");
    assertThat(none.statusCode()).isEqualTo(404);
    assertThat(none.body()).contains("DEPOSIT_NOT_FOUND");
  }
}
