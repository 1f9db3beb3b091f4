package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeGateway;
import fairgate.testkit.FakeGateway.Paid;
import fairgate.testkit.WebhookReceiver;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Payments, refunds and operators' actions on the whole server.
class PaymentsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String REASON = "{\"reason\":\"asked by the buyer\"}";
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final String POLICY =
      """
      {"preset": "queue", "payment": "required", "payment_window_seconds": 600,
       "active_capacity": 10, "ready_slots": 10}
      """;

  private static final AtomicLong PRODUCTS = new AtomicLong(9_200);

  /// The tests share a Redis, so each has its own product.
  private final String product = Long.toString(PRODUCTS.getAndIncrement());

  private final FakeGateway gateway = FakeGateway.start(SECRET, Clock.systemUTC());
  private final WebhookReceiver receiver = WebhookReceiver.start(SECRET, Clock.systemUTC());

  @AfterEach
  void close() {
    gateway.close();
    receiver.close();
  }

  private TestFairgate start(Map<String, String> settings) {
    return start(TestEngines.shared().freshDatabase(), settings);
  }

  private TestFairgate start(PostgresAddress database, Map<String, String> settings) {
    TestFairgate server = TestFairgate.start(TestEngines.shared(), database, settings(settings));
    server.createProduct(product, 5, POLICY);
    server.openSale(product);
    return server;
  }

  private Map<String, String> settings(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>();
    all.put("webhooks.url", receiver.url());
    all.put("webhooks.secret", SECRET);
    all.put("payment.provider", "webhook");
    all.put("payment.secret", SECRET);
    all.put("payment.close_url", gateway.closeUrl());
    all.put("payment.refund_url", gateway.refundUrl());
    all.putAll(settings);
    return all;
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(text, e);
    }
  }

  private static String ready(TestFairgate server, String product) {
    HttpResponse<String> joined =
        server.callUntilAccepted(
            "POST",
            "/api/queue/join",
            "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}"
                .formatted(product));
    String session = json(joined.body()).path("session_id").asText();
    Eventually.await(
        () ->
            server
                .call("GET", "/api/queue/status", "", "X-Session-Id", session)
                .body()
                .contains("ready_to_purchase"));
    return session;
  }

  private static HttpResponse<String> purchase(
      TestFairgate server, String product, String session, String key) {
    return server.callUntilAccepted(
        "POST",
        "/api/purchase",
        "{\"product_id\":\"%s\",\"quantity\":1}".formatted(product),
        "X-Session-Id",
        session,
        "Idempotency-Key",
        key);
  }

  private static String bought(TestFairgate server, String product, String session) {
    HttpResponse<String> answer = purchase(server, product, session, "k");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return json(answer.body()).path("order_id").asText();
  }

  /// Tells the server of a payment, and again while it is too busy, as a gateway does.
  private int pay(TestFairgate server, String order, String payment) {
    URI webhook = URI.create(server.baseUrl() + "/api/payments/webhook");
    Paid paid = new Paid(payment, 100, "TWD");
    return Eventually.get(
        "the server takes the message",
        () -> gateway.tell(webhook, order, paid),
        status -> status != 503);
  }

  /// Each message once: one whose reply came late is sent again with the same id.
  private List<JsonNode> messagesOf(String order) {
    Set<String> seen = new HashSet<>();
    return receiver.messages().stream()
        .filter(message -> seen.add(message.id()))
        .map(WebhookReceiver.Message::data)
        .filter(data -> data.path("order_id").asText().equals(order))
        .toList();
  }

  @Test
  void twoBuyersMayUseTheSameIdempotencyKey() {
    try (TestFairgate server = start(Map.of())) {
      String first = ready(server, product);
      String second = ready(server, product);
      HttpResponse<String> hers = purchase(server, product, first, "mine-1");
      HttpResponse<String> his = purchase(server, product, second, "mine-1");
      assertThat(hers.statusCode()).as(hers.body()).isEqualTo(200);
      assertThat(his.statusCode()).as(his.body()).isEqualTo(200);
      assertThat(json(his.body()).path("order_id"))
          .isNotEqualTo(json(hers.body()).path("order_id"));
      assertThat(purchase(server, product, second, "mine-1").body()).isEqualTo(his.body());
      String page = "/pay/" + json(his.body()).path("order_id").asText();
      assertThat(server.call("GET", page, "").statusCode()).as("the sandbox's page").isEqualTo(404);
    }
  }

  private static int stock(TestFairgate server, String product) {
    return json(server.admin("GET", "/products/" + product + "/live", "")).path("free").asInt(-1);
  }

  private static HttpResponse<String> operator(TestFairgate server, String path, String body) {
    return server.callUntilAccepted(
        "POST", "/api/admin" + path, body, "Authorization", "Bearer " + TestFairgate.OPERATOR);
  }

  private static JsonNode refunds(TestFairgate server, String query) {
    return json(server.admin("GET", "/refunds" + query, "")).path("refunds");
  }

  private static JsonNode refundOf(TestFairgate server, String order, String state) {
    Eventually.await(() -> refunds(server, "?state=" + state).size() == 1);
    JsonNode refund = refunds(server, "?state=" + state).get(0);
    assertThat(refund.path("order_id").asText()).isEqualTo(order);
    return refund;
  }

  private static String status(TestFairgate server, String session, String order) {
    HttpResponse<String> reply =
        server.callUntilAccepted("GET", "/api/orders/" + order, "", "X-Session-Id", session);
    return json(reply.body()).path("status").asText();
  }

  private static boolean metric(TestFairgate server, String line) {
    return server.call("GET", "/metrics", "").body().lines().anyMatch(line::equals);
  }

  @Test
  void aRefusedRefundCanBeRetriedAndThenFreesTheUnitsOnce() {
    try (TestFairgate server = start(Map.of())) {
      String session = ready(server, product);
      String order = bought(server, product, session);
      assertThat(pay(server, order, "p-" + product)).isEqualTo(200);
      gateway.mood(FakeGateway.Behavior.REFUSING);
      for (int i = 0; i < 2; i++) {
        HttpResponse<String> asked =
            operator(server, "/orders/" + order + "/refund", "{\"reason\":\"goodwill\"}");
        assertThat(asked.statusCode()).as(asked.body()).isEqualTo(200);
      }
      JsonNode failed = refundOf(server, order, "failed");
      assertThat(failed.path("cause").asText()).isEqualTo("operator");
      Eventually.await(() -> metric(server, "fairgate_refunds{state=\"failed\"} 1.0"));
      assertThat(status(server, session, order)).isEqualTo("paid");
      gateway.mood(FakeGateway.Behavior.WELL);
      String retry = "/refunds/" + failed.path("id").asLong() + "/retry";
      assertThat(operator(server, retry, "").statusCode()).isEqualTo(200);
      JsonNode done = refundOf(server, order, "done");
      assertThat(done.path("decided_by").asText()).startsWith("operator@");
      assertThat(done.path("answer").asText()).isEqualTo("refunded");
      assertThat(operator(server, retry, "").body()).contains("REFUND_STATE_CONFLICT");
      assertThat(status(server, session, order)).isEqualTo("refunded");
      assertThat(gateway.refundCount()).isEqualTo(1);
      assertThat(stock(server, product)).isEqualTo(5);
      assertThat(server.admin("GET", "/audit?kind=admin", "")).contains("goodwill");
    }
  }

  @Test
  void aRefusedRefundCanBeDoneByHandOrGivenUp() {
    try (TestFairgate server = start(Map.of())) {
      gateway.mood(FakeGateway.Behavior.REFUSING);
      String buyer = ready(server, product);
      String byHand = bought(server, product, buyer);
      assertThat(pay(server, byHand, "h-" + product)).isEqualTo(200);
      assertThat(operator(server, "/orders/" + byHand + "/refund", REASON).statusCode())
          .isEqualTo(200);
      String done = "/refunds/" + refundOf(server, byHand, "failed").path("id").asLong() + "/done";
      for (int i = 0; i < 2; i++) {
        assertThat(operator(server, done, "{\"reason\":\"by bank\"}").body())
            .contains("\"done\"", "by bank");
      }
      assertThat(status(server, buyer, byHand)).isEqualTo("refunded");
      assertThat(stock(server, product)).isEqualTo(5);

      String other = ready(server, product);
      String kept = bought(server, product, other);
      assertThat(pay(server, kept, "k-" + product)).isEqualTo(200);
      assertThat(operator(server, "/orders/" + kept + "/refund", REASON).statusCode())
          .isEqualTo(200);
      long id = refundOf(server, kept, "failed").path("id").asLong();
      assertThat(operator(server, "/refunds/" + id + "/give-up", REASON).body())
          .contains("given_up");
      assertThat(refunds(server, "")).isEmpty();
      assertThat(status(server, other, kept)).isEqualTo("paid");
      assertThat(gateway.refundCount()).isZero();
      assertThat(operator(server, "/refunds/999999999/done", REASON).statusCode()).isEqualTo(404);
    }
  }

  @Test
  void refundsWaitForARefundUrlAndStartByThemselves() {
    TestEngines engines = TestEngines.shared();
    PostgresAddress database = engines.freshDatabase();
    String order;
    try (TestFairgate server = start(database, Map.of("payment.refund_url", ""))) {
      order = bought(server, product, ready(server, product));
      assertThat(pay(server, order, "w-" + product)).isEqualTo(200);
      assertThat(operator(server, "/orders/" + order + "/refund", REASON).statusCode())
          .isEqualTo(200);
      assertThat(refundOf(server, order, "waiting").path("answer").asText())
          .contains("payment.refund_url");
      assertThat(metric(server, "fairgate_refund_tries_total{result=\"refused\"} 0.0")).isTrue();
    }
    try (TestFairgate server = TestFairgate.start(engines, database, settings(Map.of()))) {
      JsonNode _ = refundOf(server, order, "done");
      assertThat(gateway.refundCount()).isEqualTo(1);
    }
  }

  @Test
  void anOperatorCancelsAnUnpaidOrderAndRefundsAFreeOne() {
    try (TestFairgate server = start(Map.of())) {
      String session = ready(server, product);
      String order = bought(server, product, session);
      for (int i = 0; i < 2; i++) {
        HttpResponse<String> cancelled =
            operator(server, "/orders/" + order + "/cancel", "{\"reason\":\"mistake\"}");
        assertThat(cancelled.statusCode()).as(cancelled.body()).isEqualTo(200);
        assertThat(cancelled.body()).contains("\"cancelled\"");
      }
      assertThat(stock(server, product)).isEqualTo(5);
      assertThat(operator(server, "/orders/" + order + "/refund", REASON).body())
          .contains("ORDER_STATE_CONFLICT");
      assertThat(operator(server, "/orders/order_1_nobody/refund", REASON).statusCode())
          .isEqualTo(404);

      String free = Long.toString(PRODUCTS.getAndIncrement());
      server.createProduct(
          free, 3, "{\"preset\": \"queue\", \"active_capacity\": 10, \"ready_slots\": 10}");
      server.openSale(free);
      String gift = bought(server, free, ready(server, free));
      for (int i = 0; i < 2; i++) {
        assertThat(operator(server, "/orders/" + gift + "/refund", REASON).body())
            .contains("\"refunded\"");
      }
      assertThat(stock(server, free)).isEqualTo(3);
    }
  }

  @Test
  void onePaymentPaysOneOrderAcrossProducts() {
    try (TestFairgate server = start(Map.of())) {
      String other = Long.toString(PRODUCTS.getAndIncrement());
      server.createProduct(other, 5, POLICY);
      server.openSale(other);
      String first = bought(server, product, ready(server, product));
      String loser = ready(server, other);
      String second = bought(server, other, loser);
      String payment = "shared-" + product;
      for (int i = 0; i < 2; i++) {
        assertThat(pay(server, first, payment)).isEqualTo(200);
        assertThat(pay(server, second, payment)).isEqualTo(200);
      }
      assertThat(status(server, loser, second)).isEqualTo("pending");
      JsonNode kept = refundOf(server, second, "unplaced");
      assertThat(kept.path("cause").asText()).isEqualTo("other_order");
      assertThat(kept.path("paid_order_id").asText()).isEqualTo(first);
      assertThat(gateway.refundCount()).isZero();
    }
  }

  @Test
  void moneyForAnUnknownOrderIsRecordedAndOnlyAPersonReturnsIt() {
    try (TestFairgate server = start(Map.of())) {
      String nobody = "order_" + product + "_01m81ya7m6335b5b09caee3e82";
      assertThat(metric(server, "fairgate_payments_total{result=\"unknown_order\"} 0.0")).isTrue();
      for (int i = 0; i < 2; i++) {
        assertThat(pay(server, nobody, "u-" + product)).isEqualTo(404);
      }
      JsonNode kept = refundOf(server, nobody, "unplaced");
      assertThat(kept.path("amount").asLong()).isEqualTo(100);
      long id = kept.path("id").asLong();
      assertThat(operator(server, "/refunds/" + id + "/retry", "").statusCode()).isEqualTo(200);
      JsonNode refused = refundOf(server, nobody, "failed");
      assertThat(refused.path("answer").asText()).contains("only a person can return it");
      assertThat(operator(server, "/refunds/" + id + "/done", REASON).body())
          .contains("\"state\":\"done\"");
      assertThat(gateway.refundCount()).isZero();
    }
  }

  @Test
  void aPaymentOfAnotherShopOnTheSameAccountIsAcknowledgedAndIgnored() {
    try (TestFairgate server = start(Map.of())) {
      String elsewhere = "order_999999999_01m81ya7m6335b5b09caee3e82";
      for (String named : new String[] {"Invoice \u00e4\u0007 " + product, "", elsewhere}) {
        assertThat(pay(server, named, "m-" + product)).as(named).isEqualTo(200);
      }
      assertThat(refunds(server, "?limit=500").toString()).doesNotContain("m-" + product);
      assertThat(gateway.refundCount()).isZero();
    }
  }

  @Test
  void everyMessageOfAnOrderHasAHigherVersionThanTheOneBefore() {
    try (TestFairgate server = start(Map.of())) {
      String order = bought(server, product, ready(server, product));
      assertThat(pay(server, order, "first")).isEqualTo(200);
      assertThat(pay(server, order, "second")).isEqualTo(200);
      Eventually.await(() -> messagesOf(order).size() == 3);
      List<Integer> versions =
          messagesOf(order).stream().map(data -> data.path("version").asInt()).sorted().toList();
      assertThat(versions).doesNotHaveDuplicates();
      assertThat(messagesOf(order))
          .filteredOn(data -> data.path("version").asInt() == versions.getLast())
          .singleElement()
          .satisfies(data -> assertThat(data.path("payment_id").asText()).isEqualTo("second"));
    }
  }
}
