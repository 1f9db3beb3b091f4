package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Every error code of the API, caused over HTTP on the whole server. (`SERVER_ERROR` cannot be
/// caused from outside: `HttpServerTest` plants a fault for it; `FORBIDDEN` belongs to the pages,
/// see `ShopPagesTest`.)
class ErrorCodesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SOMEBODY = "3f0c1c1e-7c1f-4d36-9a53-0d0f9e6f2a11";
  private static TestEngines engines;
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    engines = TestEngines.privateEngines();
    server = TestFairgate.start(engines, engines.freshDatabase(), Map.of());
  }

  @AfterAll
  static void stop() {
    server.close();
    engines.close();
  }

  private static void sale(String id, int stock, String policy) {
    server.createProduct(id, stock, policy);
    server.openSale(id);
  }

  private static HttpResponse<String> join(String product, String... headers) {
    return untilAccepted(() -> joinOnce(product, headers));
  }

  private static HttpResponse<String> joinOnce(String product, String... headers) {
    return server.call(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}".formatted(product),
        headers);
  }

  private static HttpResponse<String> untilAccepted(Supplier<HttpResponse<String>> request) {
    return Eventually.get(
        "the server is not too busy", request::get, answer -> answer.statusCode() != 503);
  }

  private static String joined(String product) {
    return sessionOf(join(product));
  }

  /// The session of a successful join.
  private static String sessionOf(HttpResponse<String> join) {
    assertThat(join.statusCode()).as("join: %s", join.body()).isEqualTo(200);
    return text(join, "session_id");
  }

  /// A purchase that is accepted needs an idempotency key, because it may be repeated.
  private static HttpResponse<String> buy(String session, String product, String... headers) {
    return untilAccepted(() -> buyOnce(session, product, headers));
  }

  private static HttpResponse<String> buyOnce(String session, String product, String... headers) {
    List<String> all = new ArrayList<>(Arrays.asList(headers));
    all.addAll(List.of("X-Session-Id", session));
    return server.call(
        "POST",
        "/api/purchase",
        "{\"product_id\":\"%s\",\"quantity\":1}".formatted(product),
        all.toArray(String[]::new));
  }

  private static void awaitStatus(String session, String expected) {
    var _ =
        Eventually.get(
            expected,
            () -> server.call("GET", "/api/queue/status", "", "X-Session-Id", session),
            status -> text(status, "queue_status").equals(expected));
  }

  private static String ready(String product) {
    String session = joined(product);
    awaitStatus(session, "ready_to_purchase");
    return session;
  }

  private static void refused(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(text(answer, "error")).isEqualTo(code);
    assertThat(text(answer, "message")).isNotEmpty();
    assertThat(text(answer, "request_id")).isNotEmpty();
  }

  private static String text(HttpResponse<String> answer, String field) {
    try {
      JsonNode body = JSON.readTree(answer.body());
      return body.path(field).asText("");
    } catch (IOException e) {
      throw new IllegalStateException(answer.body(), e);
    }
  }

  @Test
  void addressesMethodsAndNames() {
    refused(server.call("GET", "/api/nothing", ""), 404, "NOT_FOUND");
    refused(server.call("DELETE", "/api/queue/join", ""), 405, "METHOD_NOT_ALLOWED");
    refused(server.call("POST", "/api/queue/join", "{"), 400, "INVALID_REQUEST");
    refused(join("404404"), 404, "PRODUCT_NOT_FOUND");
    refused(server.callUntilAccepted("GET", "/api/products/404404", ""), 404, "PRODUCT_NOT_FOUND");
    refused(
        server.callUntilAccepted("GET", "/api/queue/status", "", "X-Session-Id", SOMEBODY),
        404,
        "SESSION_NOT_FOUND");
    refused(buy(SOMEBODY, "404404"), 404, "PRODUCT_NOT_FOUND");
    refused(
        server.callUntilAccepted("GET", "/api/orders/order_1_aaaaaaaaaaaaaaaaaaaaaaaaaa", ""),
        404,
        "ORDER_NOT_FOUND");
    refused(server.call("GET", "/api/admin/products", ""), 401, "UNAUTHORIZED");
    refused(server.call("POST", "/api/payments/webhook", "{}"), 401, "UNAUTHORIZED");
  }

  @Test
  void theBanned() {
    String ban =
        server.admin(
            "POST",
            "/bans",
            "{\"kind\":\"session\",\"value\":\"%s\",\"reason\":\"a test\"}".formatted(SOMEBODY));
    refused(buy(SOMEBODY, "404404"), 403, "CLIENT_BANNED");
    String id = ban.replaceFirst(".*\"id\":(\\d+).*", "$1");
    server.admin("DELETE", "/bans/" + id, "");
    refused(buy(SOMEBODY, "404404"), 404, "PRODUCT_NOT_FOUND");
  }

  @Test
  void joiningAndLeaving() {
    sale("21", 5, "{\"preset\": \"queue\"}");
    refused(
        server.callUntilAccepted(
            "POST", "/api/queue/join", "{\"product_id\":\"21\",\"turnstile_token\":\"forged\"}"),
        403,
        "INVALID_TURNSTILE_TOKEN");
    HttpResponse<String> first = join("21");
    String session = sessionOf(first);
    refused(join("21", "X-Session-Id", session), 409, "ALREADY_IN_QUEUE");
    String cookies =
        String.join(
            "; ",
            first.headers().allValues("set-cookie").stream().map(c -> c.split(";", 2)[0]).toList());
    refused(join("21", "Cookie", cookies), 409, "ALREADY_IN_QUEUE");
    HttpResponse<String> left =
        server.callUntilAccepted("POST", "/api/queue/leave", "", "X-Session-Id", session);
    assertThat(left.statusCode()).as(left.body()).isEqualTo(200);
    refused(buy(session, "21"), 409, "NOT_IN_QUEUE");
    server.admin("POST", "/products/21/close", "");
    refused(join("21"), 409, "SALE_CLOSED");
    refused(
        server.callUntilAccepted(
            "POST",
            "/api/admin/products/21/resume",
            "",
            "Authorization",
            "Bearer " + TestFairgate.OPERATOR),
        409,
        "SALE_STATE_CONFLICT");
  }

  @Test
  void buyingTooEarlyTooLateAndTwice() {
    sale("22", 5, "{\"preset\": \"queue\", \"active_capacity\": 2}");
    String first = ready("22");
    String second = joined("22");
    awaitStatus(second, "active");
    String third = joined("22");
    refused(buy(second, "22"), 409, "NOT_READY");
    refused(buy(third, "22"), 409, "NOT_IN_ACTIVE");
    server.admin("POST", "/products/22/pause", "");
    refused(buy(first, "22"), 409, "SALE_NOT_OPEN");
    server.admin("POST", "/products/22/resume", "");
    assertThat(buy(first, "22", "Idempotency-Key", "one").statusCode()).isEqualTo(200);
    refused(buy(first, "22"), 409, "ALREADY_PURCHASED");
    awaitStatus(second, "ready_to_purchase");
    HttpResponse<String> otherBody =
        server.callUntilAccepted(
            "POST",
            "/api/purchase",
            "{\"product_id\":\"22\",\"quantity\":2}",
            "X-Session-Id",
            first,
            "Idempotency-Key",
            "one");
    refused(otherBody, 422, "IDEMPOTENCY_CONFLICT");
    sale("23", 5, "{\"preset\": \"queue\", \"purchase_window_seconds\": 1}");
    // The test does not poll for the turn: on a busy machine, the whole turn may pass between two
    // polls.
    String late = joined("23");
    awaitStatus(late, "expired");
    refused(buy(late, "23"), 410, "TIMEOUT");
  }

  @Test
  void stockTokensAndLimits() {
    sale(
        "24",
        2,
        "{\"preset\": \"queue\", \"ready_slots\": 5, \"max_quantity\": 2, \"max_per_user\": 2}");
    String winner = ready("24");
    String loser = ready("24");
    assertThat(buy(winner, "24", "Idempotency-Key", "last-24").statusCode()).isEqualTo(200);
    HttpResponse<String> tooMany =
        server.callUntilAccepted(
            "POST",
            "/api/purchase",
            "{\"product_id\":\"24\",\"quantity\":2}",
            "X-Session-Id",
            loser);
    refused(tooMany, 409, "INSUFFICIENT_STOCK");
    sale("25", 5, "{\"preset\": \"flash\"}");
    refused(buy(ready("25"), "25"), 403, "INVALID_PURCHASE_TOKEN");
    sale("26", 5, "{\"preset\": \"queue\", \"ready_slots\": 5}");
    HttpResponse<String> one = join("26");
    String device =
        one.headers().allValues("set-cookie").stream()
            .map(c -> c.split(";", 2)[0])
            .filter(c -> c.startsWith("fairgate_device"))
            .findFirst()
            .orElseThrow();
    String session = sessionOf(one);
    awaitStatus(session, "ready_to_purchase");
    HttpResponse<String> dearer =
        server.callUntilAccepted(
            "POST",
            "/api/purchase",
            "{\"product_id\":\"26\",\"quantity\":1,\"expected_amount\":99}",
            "X-Session-Id",
            session);
    refused(dearer, 409, "PRICE_CHANGED");
    assertThat(dearer.body()).contains("\"amount\":100", "\"currency\":\"TWD\"");
    assertThat(buy(session, "26", "Idempotency-Key", "one-26").statusCode()).isEqualTo(200);
    refused(join("26", "Cookie", device), 409, "PURCHASE_LIMIT_REACHED");
    refused(
        server.callUntilAccepted(
            "POST",
            "/api/admin/products",
            "{\"id\":\"26\",\"name\":\"Other\",\"price\":1,\"total_stock\":9}",
            "Authorization",
            "Bearer " + TestFairgate.OPERATOR),
        409,
        "PRODUCT_EXISTS");
  }

  @Test
  void ordersAndPayments() {
    sale(
        "27",
        5,
        """
        {"preset": "queue", "ready_slots": 5, "payment": "required", "payment_window_seconds": 1}
        """);
    HttpResponse<String> joined = join("27");
    String session = sessionOf(joined);
    awaitStatus(session, "ready_to_purchase");
    String order = text(buy(session, "27", "Idempotency-Key", "one-27"), "order_id");
    refused(server.callUntilAccepted("GET", "/api/orders/" + order, ""), 404, "ORDER_NOT_FOUND");
    awaitStatus(session, "expired");
    refused(
        server.callUntilAccepted(
            "POST", "/api/orders/" + order + "/cancel", "", "X-Session-Id", session),
        409,
        "ORDER_STATE_CONFLICT");
    String cookies =
        String.join(
            "; ",
            joined.headers().allValues("set-cookie").stream()
                .map(c -> c.split(";", 2)[0])
                .toList());
    HttpResponse<String> barred = join("27", "Cookie", cookies);
    refused(barred, 429, "UNPAID_COOLDOWN");
    assertThat(barred.headers().firstValue("retry-after")).isPresent();
  }

  @Test
  void whileRedisIsAwayNothingIsAccepted() {
    sale("28", 5, "{\"preset\": \"queue\"}");
    String session = ready("28");
    engines.killRedis();
    HttpResponse<String> away = buyOnce(session, "28");
    refused(away, 503, "SERVICE_UNAVAILABLE");
    assertThat(away.headers().firstValue("retry-after")).isPresent();
    refused(joinOnce("28"), 503, "SERVICE_UNAVAILABLE");
    engines.restartRedis();
    // This Redis does not sync every write: after its restart the place may be older or missing,
    // and the sale may be missing until it is rebuilt from the ledger.
    HttpResponse<String> bought =
        answerOf(Set.of(200, 404), () -> buyOnce(session, "28", "Idempotency-Key", "old"));
    if (bought.statusCode() == 404) {
      refused(bought, 404, "SESSION_NOT_FOUND");
      String anew = sessionOf(answerOf(Set.of(200), () -> joinOnce("28")));
      awaitStatus(anew, "ready_to_purchase");
      answerOf(Set.of(200), () -> buyOnce(anew, "28", "Idempotency-Key", "new"));
    }
  }

  /// The first response with one of these statuses.
  private static HttpResponse<String> answerOf(
      Set<Integer> statuses, Supplier<HttpResponse<String>> request) {
    return Eventually.get(
        "one of " + statuses, request::get, answer -> statuses.contains(answer.statusCode()));
  }
}
