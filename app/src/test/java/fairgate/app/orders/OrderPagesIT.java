package fairgate.app.orders;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// A buyer keeps the receipt, finds the order again, and sees a refund.
class OrderPagesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String POLICY =
      """
      {"preset": "queue", "payment": "required", "payment_window_seconds": 600,
       "active_capacity": 50, "ready_slots": 50, "unpaid_cooldown_seconds": 0}
      """;
  private static final AtomicLong PRODUCTS = new AtomicLong(9_800);

  private static TestFairgate server;

  private final String product = Long.toString(PRODUCTS.getAndIncrement());

  @BeforeAll
  static void start() {
    server =
        TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /// A browser without JavaScript: it keeps cookies.
  private static final class Browser {
    private final Map<String, String> cookies = new HashMap<>();

    HttpResponse<String> call(String method, String path, String body, String... more) {
      String[] headers = new String[more.length + 4];
      System.arraycopy(more, 0, headers, 4, more.length);
      headers[0] = "Cookie";
      headers[1] =
          cookies.entrySet().stream()
              .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
              .collect(Collectors.joining("; "));
      headers[2] = "Sec-Fetch-Site";
      headers[3] = "same-origin";
      HttpResponse<String> reply = server.call(method, path, body, headers);
      for (String set : reply.headers().allValues("set-cookie")) {
        String[] pair = set.split(";", 2)[0].split("=", 2);
        cookies.put(pair[0], pair[1]);
      }
      return reply;
    }

    HttpResponse<String> page(String path) {
      return call("GET", path, "", "Accept", "text/html", "Accept-Language", "en");
    }
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(text, e);
    }
  }

  private JsonNode buy(Browser browser) {
    server.createProduct(product, 5, POLICY);
    server.openSale(product);
    var _ = browser.page("/p/" + product);
    String joined =
        browser
            .call(
                "POST",
                "/api/queue/join",
                "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}"
                    .formatted(product))
            .body();
    assertThat(joined).contains("session_id");
    Eventually.await(
        () -> browser.call("GET", "/api/queue/status", "").body().contains("ready_to_purchase"));
    HttpResponse<String> bought =
        browser.call(
            "POST", "/api/purchase", "{\"product_id\":\"%s\",\"quantity\":1}".formatted(product));
    assertThat(bought.statusCode()).as(bought.body()).isEqualTo(200);
    return json(bought.body());
  }

  @Test
  void theReceiptShowsNumberAmountAndRefundInThreeLanguages() {
    Browser browser = new Browser();
    JsonNode bought = buy(browser);
    String order = bought.path("order_id").asText();
    String page = browser.page("/o/" + order).body();
    assertThat(page)
        .contains(bought.path("order_number").asText())
        .contains("Waiting for payment")
        .contains("/pay/" + order)
        .contains("/o/" + order + "/cancel");
    assertThat(browser.call("POST", "/api/orders/" + order + "/pay", "").statusCode())
        .isEqualTo(200);
    assertThat(browser.page("/o/" + order).body())
        .contains(">Paid<")
        .doesNotContain("/cancel")
        .contains("Order " + bought.path("order_number").asText());
    assertThat(browser.page("/o/" + order + "?lang=zh-Hant").body()).contains("已付款");
    assertThat(browser.page("/o/" + order + "?lang=zh-Hans").body()).contains("订单");
    HttpResponse<String> refund =
        server.call(
            "POST",
            "/api/admin/orders/" + order + "/refund",
            "{\"reason\":\"goodwill\",\"amount\":40}",
            "Authorization",
            "Bearer " + TestFairgate.OPERATOR,
            "Idempotency-Key",
            "one");
    assertThat(refund.statusCode()).as(refund.body()).isEqualTo(200);
    Eventually.await(
        () -> {
          String text = browser.page("/o/" + order + "?lang=en").body();
          return text.contains("<dt>Refunded</dt>") && text.contains(">Paid<");
        });
  }

  @Test
  void aGuestFindsTheOrderAfterTheSessionsCookieIsGoneAndNobodyElseDoes() {
    Browser browser = new Browser();
    JsonNode bought = buy(browser);
    String order = bought.path("order_id").asText();
    String number = bought.path("order_number").asText();
    browser.cookies.keySet().removeIf(name -> name.contains("session"));
    assertThat(browser.page("/o/" + order).statusCode()).isEqualTo(200);
    Eventually.await(() -> browser.page("/orders").body().contains(number));
    assertThat(browser.page("/o/" + number).body()).contains(number);
    Browser stranger = new Browser();
    var _ = stranger.page("/p/" + product);
    assertThat(stranger.page("/o/" + order).statusCode()).isEqualTo(404);
    assertThat(stranger.page("/o/" + number).statusCode()).isEqualTo(404);
    assertThat(stranger.page("/orders").body()).doesNotContain(number).contains("no orders");
    assertThat(stranger.page("/o/nonsense").statusCode()).isEqualTo(404);
    assertThat(stranger.page("/orders?after=nonsense").statusCode()).isEqualTo(400);
  }

  @Test
  void anUnpaidOrderIsCancelledOnItsPageByItsOwnerOnly() {
    Browser browser = new Browser();
    String order = buy(browser).path("order_id").asText();
    Browser stranger = new Browser();
    assertThat(stranger.call("POST", "/o/" + order + "/cancel", "").statusCode()).isEqualTo(404);
    HttpResponse<String> cancelled = browser.call("POST", "/o/" + order + "/cancel", "");
    assertThat(cancelled.statusCode()).isEqualTo(303);
    assertThat(cancelled.headers().firstValue("location")).contains("/o/" + order);
    assertThat(browser.page("/o/" + order).body()).contains("Cancelled");
    HttpResponse<String> foreign =
        server.call("POST", "/o/" + order + "/cancel", "", "Origin", "https://elsewhere.example");
    assertThat(foreign.statusCode()).isBetween(400, 404);
  }

  @Test
  void theReceiptHasAPrintStyle() {
    String page = new Browser().page("/orders").body();
    String sheet = page.replaceAll("(?s).*href=\"([^\"]*style\\.css)\".*", "$1");
    assertThat(server.call("GET", sheet, "").body()).contains("@media print");
  }
}
