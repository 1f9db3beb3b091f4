package fairgate.app.orders;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeGateway;
import fairgate.testkit.FakeGateway.Paid;
import fairgate.testkit.WebhookReceiver;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// An operator finds an order, refunds a part of it, annotates it and exports it.
class OrderAdminIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final String POLICY =
      """
      {"preset": "queue", "payment": "required", "payment_window_seconds": 600,
       "active_capacity": 50, "ready_slots": 50}
      """;
  private static final AtomicLong PRODUCTS = new AtomicLong(9_700);

  private static FakeGateway gateway;
  private static WebhookReceiver receiver;
  private static TestFairgate server;

  private final String product = Long.toString(PRODUCTS.getAndIncrement());

  private record Bought(String order, String number, String session) {}

  @BeforeAll
  static void start() {
    gateway = FakeGateway.start(SECRET, Clock.systemUTC());
    receiver = WebhookReceiver.start(SECRET, Clock.systemUTC());
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "webhooks.url",
                receiver.url(),
                "webhooks.secret",
                SECRET,
                "payment.provider",
                "webhook",
                "payment.secret",
                SECRET,
                "payment.close_url",
                gateway.closeUrl(),
                "payment.refund_url",
                gateway.refundUrl()));
  }

  @AfterAll
  static void stop() {
    server.close();
    gateway.close();
    receiver.close();
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(text, e);
    }
  }

  private static HttpResponse<String> get(String path) {
    return server.callUntilAccepted("GET", "/api/admin" + path, "", "Authorization", bearer());
  }

  private static HttpResponse<String> post(String path, String body, String... headers) {
    List<String> all = new ArrayList<>(List.of("Authorization", bearer()));
    all.addAll(List.of(headers));
    return server.callUntilAccepted("POST", "/api/admin" + path, body, all.toArray(String[]::new));
  }

  private static String bearer() {
    return "Bearer " + TestFairgate.OPERATOR;
  }

  private static JsonNode shown(String order) {
    HttpResponse<String> reply = get("/orders/" + order);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
    return json(reply.body());
  }

  private static List<String> found(String query) {
    HttpResponse<String> reply = get("/orders?" + query);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
    List<String> ids = new ArrayList<>();
    json(reply.body()).path("orders").forEach(order -> ids.add(order.path("order_id").asText()));
    return ids;
  }

  private void open() {
    server.createProduct(product, 20, POLICY);
    server.openSale(product);
  }

  private Bought buy() {
    String joined =
        server
            .callUntilAccepted(
                "POST",
                "/api/queue/join",
                "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}"
                    .formatted(product))
            .body();
    String session = json(joined).path("session_id").asText();
    Eventually.await(
        () ->
            server
                .call("GET", "/api/queue/status", "", "X-Session-Id", session)
                .body()
                .contains("ready_to_purchase"));
    HttpResponse<String> reply =
        server.callUntilAccepted(
            "POST",
            "/api/purchase",
            "{\"product_id\":\"%s\",\"quantity\":1}".formatted(product),
            "X-Session-Id",
            session,
            "Idempotency-Key",
            UUID.randomUUID().toString());
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
    JsonNode bought = json(reply.body());
    return new Bought(
        bought.path("order_id").asText(), bought.path("order_number").asText(), session);
  }

  private Bought buyAndPay(String payment) {
    Bought bought = buy();
    URI webhook = URI.create(server.baseUrl() + "/api/payments/webhook");
    int status =
        Eventually.get(
            "the server takes the message",
            () -> gateway.tell(webhook, bought.order(), new Paid(payment, 100, "TWD")),
            code -> code != 503);
    assertThat(status).isEqualTo(200);
    return bought;
  }

  private static HttpResponse<String> refund(String order, long amount, String key) {
    return post(
        "/orders/" + order + "/refund",
        "{\"reason\":\"a seat was blocked\",\"amount\":%d}".formatted(amount),
        "Idempotency-Key",
        key);
  }

  @Test
  void anOrderIsFoundByNumberPaymentStateAndTime() {
    open();
    Bought paid = buyAndPay("p-" + product);
    Bought held = buy();
    assertThat(paid.number()).matches("[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}");
    assertThat(paid.order()).endsWith(paid.number().replace("-", "").toLowerCase(Locale.ROOT));
    Eventually.await(() -> found("product_id=" + product).size() == 2);
    assertThat(found("product_id=" + product)).containsExactly(held.order(), paid.order());
    String typed = paid.number().toLowerCase(Locale.ROOT).replace("-", "%20");
    assertThat(found("number=" + typed)).containsExactly(paid.order());
    assertThat(found("payment_id=p-" + product)).containsExactly(paid.order());
    assertThat(found("status=pending&product_id=" + product)).containsExactly(held.order());
    JsonNode order = shown(paid.number()).path("order");
    assertThat(order.path("order_id").asText()).isEqualTo(paid.order());
    long made = order.path("created_at").asLong();
    assertThat(found("from=%d&to=%d&product_id=%s".formatted(made, made + 1, product)))
        .contains(paid.order());
    String device = order.path("device").asText();
    assertThat(found("device=" + device)).containsExactly(paid.order());
    assertThat(found("user_id=" + order.path("user_id").asText())).containsExactly(paid.order());
    assertThat(found("account=nobody-of-this-name")).isEmpty();
  }

  @Test
  void badFiltersAreRefusedWithAReason() {
    for (String query :
        List.of(
            "numbr=1", "number=123", "status=lost", "account=ann&user_id=x", "from=yesterday")) {
      HttpResponse<String> reply = get("/orders?" + query);
      assertThat(reply.statusCode()).as(query).isEqualTo(400);
      assertThat(json(reply.body()).path("error").asText()).isEqualTo("INVALID_REQUEST");
    }
    assertThat(get("/orders/7K4P-92XM").statusCode()).isEqualTo(404);
    assertThat(get("/orders/nonsense").statusCode()).isEqualTo(404);
    assertThat(post("/orders/search", "{\"telephone\":\"nonsense\"}").statusCode()).isEqualTo(400);
    assertThat(post("/orders/search", "{\"telephone\":\"+886912345678\"}").body())
        .isEqualTo("{\"orders\":[]}");
  }

  @Test
  void aPartIsRefundedOnceUnderADoubleClickAndTheOrderTellsIt() {
    open();
    Bought bought = buyAndPay("p-" + product);
    List<HttpResponse<String>> clicks =
        Stream.generate(() -> "click")
            .limit(6)
            .parallel()
            .map(_ -> refund(bought.order(), 40, "click-1"))
            .toList();
    assertThat(clicks).allMatch(reply -> reply.statusCode() == 200);
    assertThat(json(clicks.getFirst().body()).path("refundable_amount").asLong()).isEqualTo(60);
    assertThat(refund(bought.order(), 41, "click-1").statusCode()).isEqualTo(422);
    HttpResponse<String> more = refund(bought.order(), 61, "click-2");
    assertThat(more.statusCode()).isEqualTo(409);
    assertThat(more.body()).contains("REFUND_TOO_LARGE").contains("\"refundable_amount\":60");
    JsonNode record =
        Eventually.get(
            "the refund with its history and the acts",
            () -> shown(bought.order()),
            it ->
                it.path("refunded_amount").asLong() == 40
                    && it.path("events").findValuesAsText("kind").contains("refunded")
                    && it.path("audit").toString().contains("a seat was blocked")
                    && it.path("audit").toString().contains("\"kind\":\"purchase\""));
    assertThat(record.path("order").path("status").asText()).isEqualTo("paid");
    assertThat(record.path("refundable_amount").asLong()).isEqualTo(60);
    assertThat(record.path("refunds")).hasSize(1);
    List<String> kinds = new ArrayList<>();
    record.path("events").forEach(event -> kinds.add(event.path("kind").asText()));
    assertThat(kinds).containsExactly("reserved", "confirmed", "refund_due", "refunded");
    assertThat(gateway.refunds().values())
        .filteredOn(body -> body.path("order_id").asText().equals(bought.order()))
        .hasSize(1)
        .allMatch(body -> body.path("amount").asLong() == 40);
  }

  @Test
  void aFullRefundReturnsTheRestAndFreesTheUnits() {
    open();
    Bought bought = buyAndPay("p-" + product);
    assertThat(refund(bought.order(), 30, "first").statusCode()).isEqualTo(200);
    String all = "{\"reason\":\"the concert was moved\"}";
    assertThat(post("/orders/" + bought.order() + "/refund", all).statusCode()).isEqualTo(200);
    Eventually.await(
        () -> shown(bought.order()).path("order").path("status").asText().equals("refunded"));
    Eventually.await(() -> shown(bought.order()).path("refunded_amount").asLong() == 100);
    assertThat(gateway.refunds().values())
        .filteredOn(body -> body.path("order_id").asText().equals(bought.order()))
        .extracting(body -> body.path("amount").asLong())
        .containsExactlyInAnyOrder(30L, 70L);
    JsonNode live = json(server.admin("GET", "/products/" + product + "/live", ""));
    assertThat(live.path("free").asInt()).isEqualTo(20);
  }

  @Test
  void actsNeedAReasonAndAPartNeedsAKey() {
    open();
    Bought bought = buyAndPay("p-" + product);
    for (String act : List.of("/refund", "/cancel", "/resend")) {
      assertThat(post("/orders/" + bought.order() + act, "{}").body())
          .contains("INVALID_REQUEST")
          .contains("reason");
    }
    HttpResponse<String> keyless =
        post("/orders/" + bought.order() + "/refund", "{\"reason\":\"x\",\"amount\":1}");
    assertThat(keyless.statusCode()).isEqualTo(400);
    assertThat(keyless.body()).contains("Idempotency-Key");
    assertThat(refund(bought.order(), 0, "k").statusCode()).isEqualTo(400);
    assertThat(refund("order_1_" + "z".repeat(26), 1, "k").statusCode()).isEqualTo(404);
  }

  @Test
  void buyersGetMoreTimeToPayAndThePaidNeedNone() {
    open();
    Bought one = buy();
    String order = "/orders/" + one.order();
    String body = "{\"minutes\":30,\"reason\":\"card payments failed\"}";
    Eventually.await(() -> get(order).statusCode() == 200);
    long told = shown(one.order()).path("order").path("pay_by").asLong();
    JsonNode extended = json(post(order + "/extend", body).body());
    assertThat(extended.path("pay_by").asLong()).as(extended.toString()).isGreaterThan(told);
    Eventually.await(
        () ->
            shown(one.order()).path("order").path("pay_by").asLong()
                == extended.path("pay_by").asLong());
    assertThat(shown(one.order()).path("events").toString()).contains("\"kind\":\"extended\"");

    buy();
    buyAndPay("p-" + product);
    String longer = body.replace("30", "60");
    JsonNode all = json(post("/products/" + product + "/extend-payments", longer).body());
    assertThat(all.path("extended").asInt()).as(all.toString()).isEqualTo(2);
    JsonNode none = json(post("/products/" + product + "/extend-payments", body).body());
    assertThat(none.path("extended").asInt()).as("a later deadline stays").isZero();

    Bought paid = buyAndPay("p2-" + product);
    assertThat(post("/orders/" + paid.order() + "/extend", body).statusCode()).isEqualTo(409);
    assertThat(post(order + "/extend", "{\"minutes\":0,\"reason\":\"x\"}").statusCode())
        .isEqualTo(400);
    assertThat(post(order + "/extend", "{\"minutes\":5}").statusCode()).isEqualTo(400);
    assertThat(post("/products/987654321/extend-payments", body).statusCode()).isEqualTo(404);
  }

  @Test
  void notesAndMessagesBelongToTheOrder() {
    open();
    Bought bought = buyAndPay("p-" + product);
    Eventually.await(() -> shown(bought.order()).path("messages").size() == 2);
    for (int i = 0; i < 2; i++) {
      HttpResponse<String> reply =
          post("/orders/" + bought.order() + "/notes", "{\"note\":\"called about the seat\"}");
      assertThat(json(reply.body()).path("notes")).hasSize(1);
    }
    assertThat(post("/orders/" + bought.order() + "/notes", "{\"note\":\" \"}").statusCode())
        .isEqualTo(400);
    assertThat(shown(bought.order()).path("notes").get(0).path("note").asText())
        .isEqualTo("called about the seat");
    Eventually.await(
        () ->
            shown(bought.order()).path("messages").findValuesAsText("state").stream()
                .allMatch("done"::equals));
    long before = confirmations(bought);
    String resent =
        post("/orders/" + bought.order() + "/resend", "{\"reason\":\"the shop lost it\"}").body();
    assertThat(json(resent).path("message_id").asText()).startsWith("evt_" + product + "_");
    Eventually.await(() -> confirmations(bought) > before);
  }

  private static long confirmations(Bought bought) {
    return receiver.messages().stream()
        .filter(message -> message.data().path("order_id").asText().equals(bought.order()))
        .filter(message -> message.data().path("status").asText().equals("paid"))
        .count();
  }

  @Test
  void theExportHasAllOrdersAndRunsNoFormula() {
    open();
    Set<String> all = new HashSet<>();
    for (int i = 0; i < 3; i++) {
      all.add(buyAndPay((i == 0 ? "=cmd" : "p" + i + "-") + product).order());
    }
    Eventually.await(() -> found("status=paid&product_id=" + product).size() == 3);
    HttpResponse<String> file = get("/orders.csv?product_id=" + product);
    assertThat(file.statusCode()).isEqualTo(200);
    assertThat(file.headers().firstValue("content-type")).contains("text/csv; charset=utf-8");
    assertThat(file.headers().firstValue("content-disposition").orElse("")).contains("orders.csv");
    List<String> lines = file.body().lines().toList();
    assertThat(lines).hasSize(4);
    assertThat(lines.getFirst()).contains("order_id,order_number,product_id,status");
    assertThat(file.body()).contains("'=cmd" + product).doesNotContain(",=cmd");
    assertThat(all).allMatch(order -> file.body().contains(order));
    assertThat(get("/orders.csv?limit=1").statusCode()).isEqualTo(400);
    assertThat(server.call("GET", "/api/admin/orders.csv", "").statusCode()).isEqualTo(401);
  }

  @Test
  void pagesDoNotMoveWhenOrdersAreAdded() {
    open();
    List<String> bought = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      bought.addFirst(buy().order());
    }
    Eventually.await(() -> found("product_id=" + product).size() == 4);
    List<String> first = found("limit=2&product_id=" + product);
    String late = buy().order();
    Eventually.await(() -> found("product_id=" + product).contains(late));
    List<String> second = found("limit=2&product_id=" + product + "&after=" + first.getLast());
    assertThat(Stream.concat(first.stream(), second.stream())).containsExactlyElementsOf(bought);
  }
}
