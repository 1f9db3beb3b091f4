package fairgate.app.orders;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// A buyer keeps the receipt, finds the order again, and sees a refund.
class OrderPagesIT {
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

  private JsonNode buy(PlainBrowser browser) {
    server.createProduct(product, 5, POLICY);
    server.openSale(product);
    var _ = browser.page("/p/" + product);
    browser.join(product);
    return browser.buy(product, 1);
  }

  @Test
  void theReceiptShowsNumberAmountAndRefundInThreeLanguages() {
    PlainBrowser browser = new PlainBrowser(server);
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
        server.callUntilAccepted(
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
    PlainBrowser browser = new PlainBrowser(server);
    JsonNode bought = buy(browser);
    String order = bought.path("order_id").asText();
    String number = bought.path("order_number").asText();
    browser.forget("session");
    assertThat(browser.page("/o/" + order).statusCode()).isEqualTo(200);
    Eventually.await(() -> browser.page("/orders").body().contains(number));
    assertThat(browser.page("/o/" + number).body()).contains(number);
    PlainBrowser stranger = new PlainBrowser(server);
    var _ = stranger.page("/p/" + product);
    assertThat(stranger.page("/o/" + order).statusCode()).isEqualTo(404);
    assertThat(stranger.page("/o/" + number).statusCode()).isEqualTo(404);
    assertThat(stranger.page("/orders").body()).doesNotContain(number).contains("no orders");
    assertThat(stranger.page("/o/nonsense").statusCode()).isEqualTo(404);
    assertThat(stranger.page("/orders?after=nonsense").statusCode()).isEqualTo(400);
  }

  @Test
  void anUnpaidOrderIsCancelledOnItsPageByItsOwnerOnly() {
    PlainBrowser browser = new PlainBrowser(server);
    String order = buy(browser).path("order_id").asText();
    PlainBrowser stranger = new PlainBrowser(server);
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
    String page = new PlainBrowser(server).page("/orders").body();
    String sheet = page.replaceAll("(?s).*href=\"([^\"]*style\\.css)\".*", "$1");
    assertThat(server.call("GET", sheet, "").body()).contains("@media print");
  }
}
