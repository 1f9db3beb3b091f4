package fairgate.app.payments;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.app.payments.ProviderRig.Health;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// What every payment provider must keep, through the whole server: an order is closed before its
/// units are released, each payment is booked or returned once, and an unknown outcome changes
/// nothing.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class PaymentContract {
  private static final long PRICE = 100;
  private static final String POLICY =
      """
      {"preset": "queue", "payment": "required", "payment_window_seconds": 600,
       "active_capacity": 50, "ready_slots": 50, "unpaid_cooldown_seconds": 0}
      """;
  private static final AtomicLong PRODUCTS = new AtomicLong(9_600);

  final ProviderRig rig;
  private final List<TestFairgate> servers = new ArrayList<>();
  private String product = "";

  PaymentContract(ProviderRig rig) {
    this.rig = rig;
  }

  @BeforeAll
  void start() {
    servers.add(
        TestFairgate.start(
            TestEngines.shared(), TestEngines.shared().freshDatabase(), rig.settings()));
  }

  @AfterAll
  void stop() {
    servers.forEach(TestFairgate::close);
    rig.close();
  }

  @AfterEach
  void heal() {
    rig.health(Health.WELL);
  }

  private TestFairgate server() {
    return servers.getFirst();
  }

  Buyer buyer() {
    return new Buyer(server());
  }

  /// A product for one test; it returns the order of a new buyer.
  String reserve(Buyer buyer, int stock) {
    product = Long.toString(PRODUCTS.getAndIncrement());
    server().createProduct(product, stock, POLICY);
    server().openSale(product);
    return buyer.reserve(product);
  }

  private String paid(Buyer buyer) {
    String order = reserve(buyer, 5);
    open(buyer, order);
    assertThat(rig.pay(order, PRICE)).isTrue();
    tell(buyer, order);
    assertThat(buyer.status(order)).isEqualTo("paid");
    return order;
  }

  /// Opens the payment page, and again while the server is too busy.
  void open(Buyer buyer, String order) {
    int status =
        Eventually.get("the payment page", () -> rig.open(buyer, order), code -> code != 503);
    assertThat(status).isEqualTo(303);
  }

  /// Providers tell again, and buyers come back again, while the server is too busy.
  private void tell(Buyer buyer, String order) {
    Eventually.await("the server takes the message", () -> rig.tell(server(), buyer, order));
  }

  private int cancel(Buyer buyer, String order) {
    return buyer.callUntilAccepted("POST", cancelPath(order), "").statusCode();
  }

  private static String cancelPath(String order) {
    return "/api/orders/" + order + "/cancel";
  }

  private HttpResponse<String> refund(String order, String body, String key) {
    return server()
        .callUntilAccepted(
            "POST",
            "/api/admin/orders/" + order + "/refund",
            body,
            "Authorization",
            "Bearer " + TestFairgate.OPERATOR,
            "Idempotency-Key",
            key);
  }

  /// The order's record in the ledger, which has it moments after the purchase.
  private JsonNode record(String order) {
    HttpResponse<String> reply =
        Eventually.get(
            "the ledger has the order",
            () ->
                server()
                    .call(
                        "GET",
                        "/api/admin/orders/" + order,
                        "",
                        "Authorization",
                        "Bearer " + TestFairgate.OPERATOR),
            answer -> answer.statusCode() == 200);
    return Buyer.json(reply.body());
  }

  /// How the tries to pay ended.
  private List<String> results(String order) {
    return record(order).path("payment_attempts").findValuesAsText("result");
  }

  private static HttpResponse<String> page(Buyer buyer, String path) {
    return buyer.callUntilAccepted("GET", path, "");
  }

  private List<String> refundStates(String order) {
    List<String> states = new ArrayList<>();
    record(order).path("refunds").forEach(refund -> states.add(refund.path("state").asText()));
    return states;
  }

  int free() {
    return Buyer.json(server().admin("GET", "/products/" + product + "/live", ""))
        .path("free")
        .asInt(-1);
  }

  @Test
  void aPaymentIsBookedOnceHoweverOftenItIsTold() {
    Buyer buyer = buyer();
    String order = paid(buyer);
    for (int i = 0; i < 3; i++) {
      tell(buyer, order);
    }
    assertThat(buyer.status(order)).isEqualTo("paid");
    assertThat(rig.refunds(order)).isEmpty();
    assertThat(free()).isEqualTo(4);
    if (rig.traits().hasTries()) {
      Eventually.await(() -> results(order).contains("paid"));
      assertThat(page(buyer, "/pay/" + order).headers().firstValue("location"))
          .contains("/o/" + order);
    }
  }

  @Test
  void aDepositIsPaidOnceAndGoesBackWhole() {
    product = Long.toString(PRODUCTS.getAndIncrement());
    server()
        .createProduct(
            product, 5, POLICY.replace("{\"preset", "{\"deposit\":{\"percent\":100},\"preset"));
    server().openSale(product);
    Buyer buyer = buyer();
    String deposit = buyer.deposit(product);
    open(buyer, deposit);
    assertThat(rig.pay(deposit, PRICE)).isTrue();
    tell(buyer, deposit);
    tell(buyer, deposit);
    assertThat(buyer.depositStatus(deposit)).isEqualTo("paid");
    assertThat(rig.refunds(deposit)).isEmpty();
    server().admin("POST", "/products/" + product + "/close", "");
    Eventually.await("the deposit is back", () -> rig.refunds(deposit).equals(List.of(PRICE)));
    assertThat(buyer.depositStatus(deposit)).isEqualTo("returned");
  }

  @Test
  void aPaymentThatNobodyToldOfIsFoundBeforeTheUnitsAreReleased() {
    Buyer buyer = buyer();
    String order = reserve(buyer, 5);
    open(buyer, order);
    assertThat(rig.pay(order, PRICE)).isTrue();
    assertThat(cancel(buyer, order)).isEqualTo(409);
    assertThat(buyer.status(order)).isEqualTo("paid");
    assertThat(free()).isEqualTo(4);
  }

  @Test
  void aClosedOrderIsNotPaidAnyMore() {
    Buyer buyer = buyer();
    String order = reserve(buyer, 5);
    open(buyer, order);
    assertThat(cancel(buyer, order)).isEqualTo(200);
    assertThat(buyer.status(order)).isEqualTo("cancelled");
    assertThat(free()).isEqualTo(5);
    if (rig.traits().closes()) {
      assertThat(rig.pay(order, PRICE)).isFalse();
    }
    if (rig.traits().hasTries()) {
      assertThat(page(buyer, "/pay/" + order).headers().firstValue("location"))
          .contains("/o/" + order);
    }
  }

  @Test
  void aLatePaymentTakesFreeUnitsOrGoesBack() {
    Buyer buyer = buyer();
    String order = reserve(buyer, 1);
    open(buyer, order);
    assertThat(cancel(buyer, order)).isEqualTo(200);
    Buyer next = buyer();
    String taken = next.reserve(product);
    if (!rig.payLate(server(), buyer, order, PRICE)) {
      assertThat(buyer.status(order)).isEqualTo("cancelled");
      return;
    }
    tell(buyer, order);
    assertThat(buyer.status(order)).isEqualTo("cancelled");
    Eventually.await(() -> record(order).path("refunds").size() == 1);
    assertThat(cancel(next, taken)).isEqualTo(200);
    assertThat(buyer.status(order))
        .as("a payment that goes back buys nothing")
        .isEqualTo("cancelled");

    Buyer lucky = buyer();
    String kept = reserve(lucky, 1);
    open(lucky, kept);
    assertThat(cancel(lucky, kept)).isEqualTo(200);
    assertThat(rig.payLate(server(), lucky, kept, PRICE)).isTrue();
    tell(lucky, kept);
    assertThat(lucky.status(kept)).isEqualTo("paid");
    assertThat(free()).isZero();
  }

  @Test
  void aSecondPaymentGoesBack() {
    Buyer buyer = buyer();
    String order = reserve(buyer, 5);
    open(buyer, order);
    open(buyer, order);
    assertThat(rig.pay(order, PRICE)).isTrue();
    tell(buyer, order);
    if (!rig.payAgain(order, PRICE)) {
      return;
    }
    tell(buyer, order);
    assertThat(buyer.status(order)).isEqualTo("paid");
    Eventually.await(() -> record(order).path("refunds").size() == 1);
    assertThat(record(order).path("refunds").path(0).path("cause").asText()).isEqualTo("second");
  }

  @Test
  void aDeclinedBuyerIsToldAndPaysAnotherWay() {
    Buyer buyer = buyer();
    String order = reserve(buyer, 5);
    open(buyer, order);
    rig.decline(order);
    tell(buyer, order);
    assertThat(buyer.status(order)).isEqualTo("pending");
    assertThat(buyer.order(order).path("declined_at").isNumber()).isTrue();
    assertThat(page(buyer, "/o/" + order).body()).contains("The last payment was declined");
    if (rig.traits().hasTries()) {
      Eventually.await(
          () -> results(order).stream().anyMatch(result -> result.startsWith("declined: ")));
    }
    open(buyer, order);
    assertThat(rig.pay(order, PRICE)).isTrue();
    tell(buyer, order);
    assertThat(buyer.status(order)).isEqualTo("paid");
  }

  @Test
  void aWrongAmountGoesBack() {
    Buyer buyer = buyer();
    String order = reserve(buyer, 5);
    open(buyer, order);
    assertThat(rig.pay(order, 2 * PRICE)).isTrue();
    tell(buyer, order);
    assertThat(buyer.status(order)).isEqualTo("pending");
    Eventually.await(() -> record(order).path("refunds").size() == 1);
    JsonNode refund = record(order).path("refunds").path(0);
    assertThat(refund.path("cause").asText()).isEqualTo("amount");
    assertThat(refund.path("amount").asLong()).isEqualTo(2 * PRICE);
  }

  @Test
  void aRefundGoesBackOnce() {
    refundOnce();
  }

  void refundOnce() {
    Buyer buyer = buyer();
    String order = paid(buyer);
    for (int i = 0; i < 2; i++) {
      assertThat(refund(order, "{\"reason\":\"moved\"}", "k").statusCode()).isEqualTo(200);
    }
    Eventually.await(() -> buyer.status(order).equals("refunded"));
    assertThat(rig.refunds(order)).containsExactly(PRICE);
    assertThat(free()).isEqualTo(5);
  }

  @Test
  void partsGoBackAndThenTheRest() {
    Buyer buyer = buyer();
    product = Long.toString(PRODUCTS.getAndIncrement());
    server()
        .admin(
            "POST",
            "/products",
            """
            {"id": "%s", "name": "Ticket", "image_url": "", "price": 1000, "total_stock": 5,
             "policy": %s}
            """
                .formatted(product, POLICY));
    server().openSale(product);
    String order = buyer.reserve(product);
    open(buyer, order);
    assertThat(rig.pay(order, 1000)).isTrue();
    tell(buyer, order);
    for (int i = 0; i < 2; i++) {
      assertThat(refund(order, "{\"reason\":\"a\",\"amount\":300}", "a").statusCode())
          .isEqualTo(200);
      assertThat(refund(order, "{\"reason\":\"b\",\"amount\":200}", "b").statusCode())
          .isEqualTo(200);
    }
    Eventually.await(() -> rig.refunds(order).size() == 2);
    assertThat(refund(order, "{\"reason\":\"rest\"}", "c").statusCode()).isEqualTo(200);
    Eventually.await(() -> buyer.status(order).equals("refunded"));
    assertThat(rig.refunds(order)).containsExactlyInAnyOrder(300L, 200L, 500L);
  }

  @Test
  void aRefundWhoseReplyWasLostIsNotMadeTwice() {
    Buyer buyer = buyer();
    String order = paid(buyer);
    rig.health(Health.FORGETFUL);
    assertThat(refund(order, "{\"reason\":\"moved\"}", "k").statusCode()).isEqualTo(200);
    Eventually.await(() -> rig.refunds(order).size() == 1);
    rig.health(Health.WELL);
    if (rig.traits().tellsRefund()) {
      Eventually.await(() -> buyer.status(order).equals("refunded"));
    } else {
      Eventually.await(() -> record(order).path("refunds").path(0).path("tries").asInt() >= 2);
    }
    assertThat(rig.refunds(order)).containsExactly(PRICE);
    assertThat(refundStates(order)).hasSize(1);
  }

  @Test
  void aRefundInTheProvidersBackOfficeEndsTheOrderOnce() {
    if (!rig.reportsReversals()) {
      return;
    }
    Buyer buyer = buyer();
    String order = paid(buyer);
    for (int i = 0; i < 2; i++) {
      Eventually.await("the message", () -> rig.tellRefunded(server(), order, PRICE));
    }
    assertThat(buyer.status(order)).isEqualTo("refunded");
    assertThat(free()).isEqualTo(5);
    Eventually.await(() -> record(order).path("refunds").size() == 1);
    JsonNode refund = record(order).path("refunds").path(0);
    assertThat(refund.path("state").asText()).isEqualTo("done");
    assertThat(refund.path("cause").asText()).isEqualTo("provider");
    assertThat(refund.path("amount").asLong()).isEqualTo(PRICE);
    assertThat(rig.refunds(order)).as("of this server").isEmpty();
  }

  @Test
  void aDisputeVoidsTheTicketsUntilItIsWonAndALostOneEndsTheOrder() {
    if (!rig.reportsReversals()) {
      return;
    }
    Buyer buyer = buyer();
    String order = paid(buyer);
    server()
        .admin(
            "PUT",
            "/products/" + product + "/content",
            "{\"names\": {\"en\": \"Concert\"}, \"tickets\": {}}");
    record(order);
    assertThat(page(buyer, "/o/" + order + "/tickets").statusCode()).isEqualTo(200);
    assertThat(isTicketValid(order)).isTrue();
    for (int i = 0; i < 2; i++) {
      dispute(order, "du_1_" + product, "open");
    }
    assertThat(isTicketValid(order)).isFalse();
    assertThat(page(buyer, "/o/" + order + "/tickets").body())
        .contains("Not valid at present", "this ticket admits nobody")
        .doesNotContain(">Valid<", "class=\"qr-box\"");
    for (String path : List.of("/o/" + order, "/orders")) {
      assertThat(page(buyer, path).body()).contains("Payment disputed").doesNotContain(">Paid<");
    }
    assertThat(record(order).path("disputes")).hasSize(1);
    assertThat(server().admin("GET", "/disputes?state=open", "")).contains("du_1_" + product);
    assertThat(buyer.status(order)).isEqualTo("paid");
    dispute(order, "du_1_" + product, "won");
    dispute(order, "du_1_" + product, "open");
    assertThat(isTicketValid(order)).as("a decision stays").isTrue();
    assertThat(page(buyer, "/o/" + order + "/tickets").body()).contains(">Valid<");
    assertThat(page(buyer, "/o/" + order).body()).contains(">Paid<");
    dispute(order, "du_2_" + product, "lost");
    assertThat(buyer.status(order)).isEqualTo("refunded");
    assertThat(free()).isEqualTo(5);
    Eventually.await(() -> !isTicketValid(order));
    assertThat(server().admin("GET", "/disputes?state=open", "")).doesNotContain(product + "\"");
  }

  private void dispute(String order, String name, String state) {
    Eventually.await("the message", () -> rig.tellDispute(server(), order, name, state));
  }

  private boolean isTicketValid(String order) {
    return Buyer.json(server().admin("GET", "/orders/" + order + "/tickets", ""))
        .path("tickets")
        .path(0)
        .path("valid")
        .asBoolean();
  }

  @Test
  void whatTheProviderDidNotSayIsNotBelieved() {
    Buyer buyer = buyer();
    String order = reserve(buyer, 5);
    open(buyer, order);
    assertThat(rig.forge(server(), buyer, order)).isFalse();
    assertThat(buyer.status(order)).isEqualTo("pending");
  }

  @Test
  void anOldMessageChangesNothing() {
    Buyer buyer = buyer();
    String order = paid(buyer);
    boolean _ = rig.replayOld(server(), buyer, order);
    assertThat(buyer.status(order)).isEqualTo("paid");
    assertThat(record(order).path("refunds")).isEmpty();
    assertThat(free()).isEqualTo(4);
  }

  @Test
  void anOrderIsKeptWhileTheProviderDoesNotAnswer() {
    Buyer buyer = buyer();
    String order = reserve(buyer, 5);
    open(buyer, order);
    rig.health(Health.BROKEN);
    assertThat(buyer.call("POST", cancelPath(order), "").statusCode()).isEqualTo(503);
    assertThat(buyer.status(order)).isEqualTo("pending");
    assertThat(free()).isEqualTo(4);
    rig.health(Health.WELL);
    assertThat(cancel(buyer, order)).isEqualTo(200);
    assertThat(free()).isEqualTo(5);
  }

  @Test
  void aPageWhoseAddressWasLostIsOpenedAgain() {
    if (!rig.traits().hasTries()) {
      return;
    }
    Buyer buyer = buyer();
    String order = reserve(buyer, 5);
    rig.health(Health.FORGETFUL);
    int first = rig.open(buyer, order);
    assertThat(first).isIn(503, 303);
    rig.health(Health.WELL);
    open(buyer, order);
    assertThat(rig.pay(order, PRICE)).isTrue();
    tell(buyer, order);
    assertThat(buyer.status(order)).isEqualTo("paid");
    assertThat(rig.refunds(order)).isEmpty();
  }

  @Test
  void aPaymentOfAnotherShopOnTheSameAccountIsAcknowledgedAndIgnored() {
    String ofOurs = reserve(buyer(), 5);
    String end = "_00000000000000000000other1";
    List<String> names = new ArrayList<>(List.of("shop-4711", "order_999999999" + end));
    if (rig.traits().hasTries()) {
      // Another installation has a product of the same number.
      names.add(ofOurs.substring(0, ofOurs.lastIndexOf('_')) + end);
    }
    for (String named : names) {
      Eventually.await(named, () -> rig.tellOfAnotherShop(server(), named));
    }
    String refunds = server().admin("GET", "/refunds?limit=500", "");
    assertThat(refunds).contains("refunds").doesNotContain("other_1", "shop-4711", end);
    assertThat(names).allSatisfy(named -> assertThat(rig.refunds(named)).isEmpty());
  }

  @Test
  void aPriceThatTheProviderNeverTakesIsRefusedWithTheSale() {
    String price = rig.impossiblePrice();
    if (price.isEmpty()) {
      return;
    }
    String body =
        "{\"id\":\"9599\",\"name\":\"Ticket\",\"total_stock\":5,%s,\"policy\":{\"payment\":\"required\"}}"
            .formatted(price);
    HttpResponse<String> refused =
        server()
            .callUntilAccepted(
                "POST",
                "/api/admin/products",
                body,
                "Authorization",
                "Bearer " + TestFairgate.OPERATOR);
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(Buyer.json(refused.body()).path("field").asText()).isEqualTo("price");
  }

  @Test
  void nobodyElseOpensThePageOrComesBack() {
    if (!rig.traits().hasTries()) {
      return;
    }
    Buyer buyer = buyer();
    String order = reserve(buyer, 5);
    Buyer stranger = buyer();
    assertThat(page(stranger, "/pay/" + order).statusCode()).isEqualTo(404);
    assertThat(record(order).path("payment_attempts")).isEmpty();
    String none = order.substring(0, order.lastIndexOf('_')) + "_" + "0".repeat(26);
    assertThat(page(stranger, "/pay/" + none + "/return").statusCode()).isEqualTo(404);
  }

  /// A wallet app opens the telephone's default browser, which did not buy.
  @Test
  void thePaymentCountsWhicheverBrowserComesBack() {
    if (!rig.traits().hasTries()) {
      return;
    }
    Buyer buyer = buyer();
    String order = reserve(buyer, 5);
    open(buyer, order);
    Buyer stranger = buyer();
    HttpResponse<String> early = page(stranger, "/pay/" + order + "/return");
    assertThat(early.statusCode()).isEqualTo(200);
    assertThat(early.body()).contains("This payment is not confirmed");
    assertThat(rig.pay(order, PRICE)).isTrue();
    HttpResponse<String> back = page(stranger, "/pay/" + order + "/return");
    assertThat(back.statusCode()).isEqualTo(200);
    assertThat(back.body()).contains("Payment received").doesNotContain("Ticket");
    assertThat(buyer.status(order)).isEqualTo("paid");
    assertThat(page(stranger, "/o/" + order).statusCode()).isEqualTo(404);
  }
}
