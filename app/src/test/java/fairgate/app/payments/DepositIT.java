package fairgate.app.payments;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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
    assertThat(buyer.get(page).body())
        .contains("It counts towards the price")
        .doesNotContain("id=\"pending\"");
    String pay = location(buyer.call("POST", page, "", "Content-Type", FORM));
    assertThat(location(buyer.call("POST", page, "", "Content-Type", FORM))).isEqualTo(pay);
    assertThat(buyer.get(page).body()).contains("You have not paid this deposit yet.");
    assertThat(buyer.get(pay).body())
        .contains("<p class=\"more\" id=\"deposit\">Deposit</p>", "Back to the sale");
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
    HttpResponse<String> foreign = loser.get("/api/deposits/" + counted);
    assertThat(foreign.statusCode()).isEqualTo(404);
    assertThat(foreign.body()).contains("paid in another browser or by another account");

    String order = winner.reserve("71");
    assertThat(winner.order(order).path("amount").asInt()).isEqualTo(80);
    assertThat(
            winner
                .callUntilAccepted("POST", "/api/orders/" + order + "/pay", "{\"result\":\"paid\"}")
                .statusCode())
        .isEqualTo(200);
    awaitStatus(winner, counted, "counted");
    JsonNode file = found("deposit_id=" + counted);
    assertThat(file.path("order_id").asText()).isEqualTo(order);
    assertThat(file.path("paid_at").asLong()).isGreaterThan(0);
    assertThat(found("payment_id=" + file.path("payment_id").asText())).isEqualTo(file);
    JsonNode free = found("deposit_id=" + returned);
    assertThat(free.path("session_id").isNull()).as("nobody has joined with it").isTrue();
    assertThat(read(winner, counted).path("order_id").asText()).isEqualTo(order);

    server.admin("POST", "/products/71/close", "");
    awaitStatus(loser, returned, "returned");
    Eventually.await(
        "the refund is made", () -> sums("71").path("returned").path("refunded").asInt() == 1);
    JsonNode refund = found("deposit_id=" + returned).path("refunds").path(0);
    assertThat(refund.path("state").asText()).isEqualTo("done");
    assertThat(refund.path("amount").asInt()).isEqualTo(20);
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
        .contains("DEPOSIT_STATE_CONFLICT", "\"status\":\"paid\"")
        .contains("or withdrawing the entry while its draw is open, returns it");
    assertThat(owner.order(order).path("deposit").asInt()).isEqualTo(20);
    assertThat(owner.get("/p/74").body()).contains("<dt>Deposit</dt><dd>\u2212NT$0.20</dd>");
    assertThat(owner.get("/o/" + order).body())
        .contains(
            "<dt>Deposit</dt><dd>\u2212NT$0.20</dd>", "The shop keeps your deposit of NT$0.20.");
    String operators = "/api/admin/orders/" + order;
    Eventually.await(
        "operators see the deposit",
        () ->
            owner
                .call("GET", operators, "", "Authorization", "Bearer " + TestFairgate.OPERATOR)
                .body()
                .contains("\"deposit_id\":\"" + used));
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
    assertThat(other.get("/p/74/deposit").body())
        .contains("Your deposit of NT$0.20 goes back to you.", "id=\"terms\"", "id=\"pay\"");
    assertThat(other.get("/p/74").body())
        .contains("Your deposit of NT$0.20 goes back to you. Join with a deposit of NT$0.20");
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
    assertThat(found("deposit_id=" + deposit).path("session_id").asText())
        .isEqualTo(
            Buyer.json(buyer.get("/api/queue/status").body()).path("session_id").asText("none"));
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
    assertThat(buyer.get("/p/75/deposit").body())
        .contains("The shop keeps your deposit of NT$0.20.", "id=\"pay\"");
  }

  @Test
  void aPlaceTellsOfItsDepositAfterTheRuleIsGone() {
    server.createProduct("76", 5, POLICY);
    server.openSale("76");
    Buyer buyer = new Buyer(server);
    String deposit = deposit(buyer, "76");
    becomesReady(buyer, "76");
    assertThat(buyer.get("/p/76/deposit").body())
        .contains("Your deposit is paid.")
        .doesNotContain("id=\"join\"", "id=\"pay\"", "id=\"back\"");
    change("76", "{\"policy\": {\"deposit\": null}, \"confirm\": [\"deposit\"]}");
    assertThat(buyer.get("/p/76").body())
        .contains("Your deposit of NT$0.20 is paid.", "do not pay the rest, the shop keeps it.");
    assertThat(new Buyer(server).get("/p/76").body()).doesNotContain("id=\"deposit\"");
    assertThat(
            buyer.callUntilAccepted("POST", "/p/76/leave", "", "Content-Type", FORM).statusCode())
        .isEqualTo(303);
    awaitStatus(buyer, deposit, "kept");
    assertThat(buyer.get("/p/76").body()).contains("The shop keeps your deposit of NT$0.20.");
    assertThat(buyer.get("/p/76/deposit").body())
        .contains("The shop keeps your deposit of NT$0.20.")
        .doesNotContain("id=\"pay\"");
  }

  @Test
  void aDepositAboveThePriceDoesNotCountAndPagesTellThat() {
    server.createProduct("77", 5, POLICY.replace("percent\": 20", "percent\": 50"));
    server.openSale("77");
    Buyer buyer = new Buyer(server);
    String deposit = deposit(buyer, "77");
    change("77", "{\"price\": 20, \"confirm\": [\"price\", \"deposit\"]}");
    String aside = "Your deposit of NT$0.50 is paid, but the price has changed.";
    assertThat(buyer.get("/p/77/deposit").body())
        .contains(aside, "If you let your turn pass, the shop keeps it.")
        .doesNotContain("It counts towards the price.");
    becomesReady(buyer, "77");
    assertThat(buyer.get("/p/77").body())
        .contains(aside, "If you let your turn pass, the shop keeps it.")
        .doesNotContain("Your deposit of NT$0.50 is paid. It counts");
    String order = buyer.reserve("77");
    assertThat(buyer.order(order).path("amount").asInt()).isEqualTo(20);
    awaitStatus(buyer, deposit, "returned");
    assertThat(buyer.get("/o/" + order).body())
        .contains("Your deposit of NT$0.50 goes back to you.");
  }

  @Test
  void aDepositThatHasEndedIsToldInAPauseAndAfterTheSale() {
    server.createProduct("78", 5, POLICY);
    server.openSale("78");
    Buyer paused = new Buyer(server);
    String kept = deposit(paused, "78");
    String order = paused.reserve("78");
    assertThat(
            paused.callUntilAccepted("POST", "/api/orders/" + order + "/cancel", "").statusCode())
        .isEqualTo(200);
    awaitStatus(paused, kept, "kept");
    assertThat(join(paused, "78").body()).contains("UNPAID_COOLDOWN");
    String keeps = "The shop keeps your deposit of NT$0.20.";
    assertThat(paused.get("/p/78").body()).contains(keeps);
    assertThat(paused.get("/p/78/deposit").body()).contains(keeps, "id=\"problem\"");
    Buyer late = new Buyer(server);
    String returned = deposit(late, "78");
    server.admin("POST", "/products/78/close", "");
    awaitStatus(late, returned, "returned");
    assertThat(late.get("/p/78").body()).contains("Your deposit of NT$0.20 goes back to you.");
    assertThat(paused.get("/p/78").body()).contains(keeps);
  }

  @Test
  void nobodyPaysADepositForASaleThatIsSoldAndPaid() {
    server.createProduct("79", 1, POLICY);
    server.openSale("79");
    Buyer early = new Buyer(server);
    String free = deposit(early, "79");
    Buyer winner = new Buyer(server);
    String _ = deposit(winner, "79");
    String order = winner.reserve("79");
    Buyer late = new Buyer(server);
    Eventually.await(
        "a unit may come back", () -> late.get("/p/79").body().contains("/p/79/deposit"));
    assertThat(
            winner
                .callUntilAccepted("POST", "/api/orders/" + order + "/pay", "{\"result\":\"paid\"}")
                .statusCode())
        .isEqualTo(200);
    Eventually.await(
        "no deposit is offered", () -> !late.get("/p/79").body().contains("/p/79/deposit"));
    assertThat(late.get("/p/79").body())
        .contains("<p class=\"more\">All units are sold and paid.")
        .as("the waiting list is for those who have a place or can get one")
        .doesNotContain("action=\"/p/79/join\"", "/p/79/waiting-list");
    assertThat(early.get("/p/79").body()).contains("/p/79/waiting-list");
    HttpResponse<String> refused =
        late.callUntilAccepted("POST", "/api/deposits", "{\"product_id\":\"79\"}");
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.body()).contains("INSUFFICIENT_STOCK");
    assertThat(late.get("/p/79/deposit").body())
        .contains("<p>All units are sold and paid.", "id=\"problem\"")
        .doesNotContain("id=\"pay\"");
    assertThat(early.get("/p/79/deposit").body()).as("it is paid").contains("id=\"join\"");
    assertThat(join(early, "79").statusCode()).isEqualTo(200);
    assertThat(read(early, free).path("status").asText()).isEqualTo("paid");
    server.admin("POST", "/products/79/stock", "{\"quantity\": 1, \"key\": \"more\"}");
    Eventually.await(
        "a deposit is offered", () -> late.get("/p/79").body().contains("/p/79/deposit"));
  }

  @Test
  void anOrderThatItsDepositCoversIsRefundedByItsReturn() {
    server.createProduct("80", 1, POLICY.replace("percent\": 20", "percent\": 100"));
    server.openSale("80");
    Buyer buyer = new Buyer(server);
    String deposit = deposit(buyer, "80");
    String order = buyer.reserve("80");
    awaitStatus(buyer, deposit, "counted");
    assertThat(Buyer.json(server.admin("GET", "/orders/" + order, "")).path("refundable_amount"))
        .as("of its own payment")
        .hasToString("0");
    server.admin("POST", "/orders/" + order + "/refund", "{\"reason\":\"the show was moved\"}");
    awaitStatus(buyer, deposit, "returned");
  }

  @Test
  void nobodyPaysADepositForADrawThatTheyHaveEntered() {
    server.createProduct(
        "81", 5, POLICY.replace("\"payment\"", "\"pre_queue\": \"draw\", \"payment\""));
    server.openSale("81");
    String asks =
        "Entering the draw takes a deposit of NT$0.20. It counts towards the price."
            + " If you cannot buy, all of it goes back."
            + " If you let your turn pass or do not pay the rest, the shop keeps it.";
    Buyer buyer = new Buyer(server);
    assertThat(buyer.get("/p/81").body()).as("before the draw").contains(asks);
    Instant soon = Instant.now().plusSeconds(3).truncatedTo(ChronoUnit.SECONDS);
    server.admin(
        "POST",
        "/draws",
        "{\"id\":\"d81\",\"product_id\":\"81\",\"opens_at\":\"%s\",\"closes_at\":\"%s\"}"
            .formatted(soon, soon.plusSeconds(3_600)));
    Eventually.await(
        "the draw is open",
        () -> server.call("GET", "/api/draws/d81", "").body().contains("\"state\":\"open\""));
    assertThat(buyer.get("/p/81").body()).contains(asks);
    String deposit = deposit(buyer, "81");
    String token = "{\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}";
    String entries = "/api/draws/d81/entries";
    HttpResponse<String> entered = buyer.callUntilAccepted("POST", entries, token);
    assertThat(entered.statusCode()).as(entered.body()).isEqualTo(200);
    assertThat(buyer.callUntilAccepted("DELETE", "/api/draws/d81/entry", "").statusCode())
        .isEqualTo(204);
    awaitStatus(buyer, deposit, "returned");
    assertThat(buyer.callUntilAccepted("POST", entries, token).body())
        .contains("\"absence\":\"withdrawn\"");
    HttpResponse<String> refused =
        buyer.callUntilAccepted("POST", "/api/deposits", "{\"product_id\":\"81\"}");
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
    assertThat(refused.body()).contains("DRAW_STATE_CONFLICT", "\"absence\":\"withdrawn\"");
    assertThat(buyer.get("/p/81").body())
        .contains("Your deposit of NT$0.20 goes back to you.")
        .doesNotContain("Entering the draw takes");
    assertThat(buyer.get("/p/81/deposit").body())
        .contains(
            "You have entered this draw already.", "Your deposit of NT$0.20 goes back to you.")
        .doesNotContain("id=\"pay\"");
    assertThat(new Buyer(server).get("/p/81/deposit").body()).contains("id=\"pay\"");
  }

  @Test
  void whoHasToSignInComesBackToTheDeposit() {
    server.createProduct(
        "82", 5, POLICY.replace("\"payment\"", "\"identity\": \"account\", \"payment\""));
    server.openSale("82");
    Buyer guest = new Buyer(server);
    assertThat(guest.call("POST", "/p/82/deposit", "", "Content-Type", FORM).body())
        .contains("/account?next=%2Fp%2F82%2Fdeposit\"");
  }

  private void change(String product, String body) {
    server.admin("PATCH", "/products/" + product, body);
  }

  /// Joins and waits for the turn.
  private static void becomesReady(Buyer buyer, String product) {
    assertThat(join(buyer, product).statusCode()).isEqualTo(200);
    Eventually.await(() -> buyer.get("/api/queue/status").body().contains("ready_to_purchase"));
  }

  private static HttpResponse<String> join(Buyer buyer, String product) {
    return buyer.callUntilAccepted(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}".formatted(product));
  }

  private JsonNode found(String query) {
    return Buyer.json(server.admin("GET", "/deposits?" + query, "")).path("deposits").path(0);
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
    for (String query : new String[] {"", "?deposit_id=7", "?deposit_id=7&payment_id=x"}) {
      HttpResponse<String> reply =
          server.callUntilAccepted(
              "GET",
              "/api/admin/deposits" + query,
              "",
              "Authorization",
              "Bearer " + TestFairgate.OPERATOR);
      assertThat(reply.statusCode()).as(reply.body()).isEqualTo(400);
    }
    assertThat(server.admin("GET", "/deposits?payment_id=none", "")).isEqualTo("{\"deposits\":[]}");
    server.createProduct("73", 1, "{\"preset\": \"queue\"}");
    Buyer buyer = new Buyer(server);
    HttpResponse<String> none =
        buyer.callUntilAccepted("POST", "/api/deposits", "{\"product_id\":\"73\"}");
    assertThat(none.statusCode()).isEqualTo(404);
    assertThat(none.body()).contains("DEPOSIT_NOT_FOUND");
  }
}
