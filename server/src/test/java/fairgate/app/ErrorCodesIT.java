package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Every refusal of the API, reached over HTTP on the whole server. (`SERVER_ERROR` is nobody's to
/// reach: `HttpServerTest` plants a fault for it; `FORBIDDEN` is the pages', see `ShopPagesTest`.)
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
    return server.call(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}".formatted(product),
        headers);
  }

  private static String joined(String product) {
    return text(join(product), "session_id");
  }

  private static HttpResponse<String> buy(String session, String product, String... headers) {
    List<String> all = new ArrayList<>(Arrays.asList(headers));
    all.addAll(List.of("X-Session-Id", session));
    return server.call(
        "POST",
        "/api/purchase",
        "{\"product_id\":\"%s\",\"quantity\":1}".formatted(product),
        all.toArray(String[]::new));
  }

  private static String status(String session) {
    return text(
        server.call("GET", "/api/queue/status", "", "X-Session-Id", session), "queue_status");
  }

  private static String ready(String product) {
    String session = joined(product);
    eventually(() -> status(session).equals("ready_to_purchase"));
    return session;
  }

  private static void refused(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(text(answer, "error")).isEqualTo(code);
    assertThat(text(answer, "message")).isNotEmpty();
    assertThat(text(answer, "request_id")).isNotEmpty();
  }

  private static void eventually(Supplier<Boolean> check) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!check.get()) {
      assertThat(System.nanoTime()).as("waited too long").isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
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
    refused(server.call("GET", "/api/products/404404", ""), 404, "PRODUCT_NOT_FOUND");
    refused(
        server.call("GET", "/api/queue/status", "", "X-Session-Id", SOMEBODY),
        404,
        "SESSION_NOT_FOUND");
    refused(buy(SOMEBODY, "404404"), 404, "SESSION_NOT_FOUND");
    refused(
        server.call("GET", "/api/orders/order_1_aaaaaaaaaaaaaaaaaaaaaaaaaa", ""),
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
    refused(buy(SOMEBODY, "404404"), 404, "SESSION_NOT_FOUND");
  }

  @Test
  void joiningAndLeaving() {
    sale("21", 5, "{\"preset\": \"queue\"}");
    refused(
        server.call(
            "POST", "/api/queue/join", "{\"product_id\":\"21\",\"turnstile_token\":\"forged\"}"),
        403,
        "INVALID_TURNSTILE_TOKEN");
    HttpResponse<String> first = join("21");
    String session = text(first, "session_id");
    refused(join("21", "X-Session-Id", session), 409, "ALREADY_IN_QUEUE");
    String cookies =
        String.join(
            "; ",
            first.headers().allValues("set-cookie").stream().map(c -> c.split(";", 2)[0]).toList());
    refused(join("21", "Cookie", cookies), 409, "ALREADY_IN_QUEUE");
    assertThat(server.call("POST", "/api/queue/leave", "", "X-Session-Id", session).statusCode())
        .isEqualTo(200);
    refused(buy(session, "21"), 409, "NOT_IN_QUEUE");
    server.admin("POST", "/products/21/close", "");
    refused(join("21"), 409, "SALE_CLOSED");
    refused(
        server.call(
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
    eventually(() -> status(second).equals("active"));
    String third = joined("22");
    refused(buy(second, "22"), 409, "NOT_READY");
    refused(buy(third, "22"), 409, "NOT_IN_ACTIVE");
    server.admin("POST", "/products/22/pause", "");
    refused(buy(first, "22"), 409, "SALE_NOT_OPEN");
    server.admin("POST", "/products/22/resume", "");
    assertThat(buy(first, "22", "Idempotency-Key", "one").statusCode()).isEqualTo(200);
    refused(buy(first, "22"), 409, "ALREADY_PURCHASED");
    eventually(() -> status(second).equals("ready_to_purchase"));
    refused(buy(second, "22", "Idempotency-Key", "one"), 422, "IDEMPOTENCY_CONFLICT");
    sale("23", 5, "{\"preset\": \"queue\", \"purchase_window_seconds\": 1}");
    String late = ready("23");
    eventually(() -> status(late).equals("expired"));
    refused(buy(late, "23"), 410, "TIMEOUT");
  }

  @Test
  void stockTokensAndLimits() {
    sale("24", 1, "{\"preset\": \"queue\", \"ready_slots\": 5}");
    String winner = ready("24");
    String loser = ready("24");
    assertThat(buy(winner, "24").statusCode()).isEqualTo(200);
    refused(buy(loser, "24"), 409, "INSUFFICIENT_STOCK");
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
    String session = text(one, "session_id");
    eventually(() -> status(session).equals("ready_to_purchase"));
    assertThat(buy(session, "26").statusCode()).isEqualTo(200);
    refused(join("26", "Cookie", device), 409, "PURCHASE_LIMIT_REACHED");
    refused(
        server.call(
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
    String session = text(joined, "session_id");
    eventually(() -> status(session).equals("ready_to_purchase"));
    String order = text(buy(session, "27"), "order_id");
    refused(server.call("GET", "/api/orders/" + order, ""), 404, "ORDER_NOT_FOUND");
    eventually(() -> status(session).equals("expired"));
    refused(
        server.call("POST", "/api/orders/" + order + "/cancel", "", "X-Session-Id", session),
        409,
        "ORDER_STATE_CONFLICT");
    String cookies =
        String.join(
            "; ",
            joined.headers().allValues("set-cookie").stream()
                .map(c -> c.split(";", 2)[0])
                .toList());
    HttpResponse<String> barred = join("27", "Cookie", cookies);
    refused(barred, 429, "RATE_LIMIT_EXCEEDED");
    assertThat(barred.headers().firstValue("retry-after")).isPresent();
  }

  @Test
  void whileRedisIsAwayNothingIsAccepted() {
    sale("28", 5, "{\"preset\": \"queue\"}");
    String session = ready("28");
    engines.killRedis();
    HttpResponse<String> away = buy(session, "28");
    refused(away, 503, "SERVICE_UNAVAILABLE");
    assertThat(away.headers().firstValue("retry-after")).isPresent();
    refused(join("28"), 503, "SERVICE_UNAVAILABLE");
    engines.restartRedis();
    AtomicReference<HttpResponse<String>> bought = new AtomicReference<>(away);
    eventually(
        () -> {
          bought.set(buy(session, "28"));
          return bought.get().statusCode() != 503;
        });
    if (bought.get().statusCode() != 200) {
      // This Redis does not sync every write: what it was told last may be gone with it.
      refused(bought.get(), 404, "SESSION_NOT_FOUND");
      assertThat(buy(ready("28"), "28").statusCode()).isEqualTo(200);
    }
  }
}
