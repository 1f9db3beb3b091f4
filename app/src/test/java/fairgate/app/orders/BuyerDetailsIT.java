package fairgate.app.orders;

import static fairgate.app.orders.PlainBrowser.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.kernel.Role;
import fairgate.operator.access.TestOperator;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What a product asks its buyers for, from the reservation to the payment, and what operators see.
class BuyerDetailsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final AtomicInteger PRODUCTS = new AtomicInteger(760_000);
  private static final String PAID =
      "{\"preset\":\"queue\",\"payment\":\"required\",\"payment_window_seconds\":600}";
  private static final String FIELDS =
      """
      {"buyer_fields": [
        {"kind": "name", "required": true}, {"kind": "email", "required": true},
        {"kind": "phone"}, {"kind": "address"},
        {"kind": "text", "key": "size", "labels": {"en": "Shirt size", "zh-Hant": "尺寸"}}]}
      """;
  private static final String PASSWORD = "correct horse 9";
  private static final String VALUES =
      "{\"name\": \"王小明\", \"email\": \"ming@example.com\", \"size\": \"=M\"}";

  private static TestFairgate server;
  private static TestOperator owner;

  private final String product = Integer.toString(PRODUCTS.getAndIncrement());

  @BeforeAll
  static void start() {
    server =
        TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of());
    owner = TestOperator.firstOwner(server);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> give(
      PlainBrowser browser, String order, String body, String language) {
    return browser.call(
        "PUT", "/api/orders/" + order + "/details", body, "Accept-Language", language);
  }

  private JsonNode buy(PlainBrowser browser, String policy) {
    server.createProduct(product, 5, policy);
    assertThat(server.admin("PUT", "/products/" + product + "/content", FIELDS)).contains("size");
    server.openSale(product);
    var _ = browser.call("GET", "/p/" + product, "", "Accept", "text/html");
    browser.join(product);
    return browser.buy(product, 1);
  }

  private static HttpResponse<String> pay(PlainBrowser browser, String order) {
    return browser.call("POST", "/api/orders/" + order + "/pay", "{\"result\":\"paid\"}");
  }

  @Test
  void paymentNeedsTheRequiredDetailsAndThenGoesOn() {
    PlainBrowser browser = new PlainBrowser(server);
    JsonNode bought = buy(browser, PAID);
    String order = bought.path("order_id").asText();
    assertThat(bought.path("payment_url").asText()).isEqualTo("/o/" + order + "/details");
    HttpResponse<String> refused = pay(browser, order);
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.body()).contains("BUYER_DETAILS_REQUIRED", "/o/" + order + "/details");
    HttpResponse<String> given = give(browser, order, VALUES, "en");
    assertThat(given.statusCode()).as(given.body()).isEqualTo(200);
    assertThat(json(given).path("values").path("name").asText()).isEqualTo("王小明");
    assertThat(json(given).path("payment_url").asText()).isEqualTo("/pay/" + order);
    assertThat(pay(browser, order).statusCode()).isEqualTo(200);
    // A paid order keeps what was given.
    HttpResponse<String> late = give(browser, order, VALUES.replace("王小明", "other"), "en");
    assertThat(late.statusCode()).isEqualTo(409);
    assertThat(late.body()).contains("ORDER_STATE_CONFLICT");
    assertThat(json(browser.call("GET", "/api/orders/" + order + "/details", "")).toString())
        .contains("王小明")
        .doesNotContain("other");
  }

  @Test
  void badValuesAreRefusedAtTheirFieldInThreeLanguagesAndLeaveNoTrace() {
    PlainBrowser browser = new PlainBrowser(server);
    String order = buy(browser, PAID).path("order_id").asText();
    Map<String, String> wrong =
        Map.of(
            "{}",
            "name",
            "{\"name\":\"   \"}",
            "name",
            "{\"name\":\"a\\nb\",\"email\":\"a@b.tw\"}",
            "name",
            "{\"name\":\"" + "x".repeat(101) + "\",\"email\":\"a@b.tw\"}",
            "name",
            "{\"name\":\"gnim\u202exy\",\"email\":\"a@b.tw\"}",
            "name",
            "{\"name\":7}",
            "name",
            "{\"name\":\"x\",\"email\":\"ming\"}",
            "email",
            "{\"name\":\"x\",\"email\":\"a@b.tw\",\"phone\":\"call me\"}",
            "phone",
            "{\"name\":\"x\",\"email\":\"a@b.tw\",\"size\":\"" + "x".repeat(201) + "\"}",
            "size",
            "{\"name\":\"x\",\"email\":\"a@b.tw\",\"iban\":\"1\"}",
            "iban");
    for (String language : new String[] {"en", "zh-TW", "zh-CN"}) {
      wrong.forEach(
          (body, field) -> {
            HttpResponse<String> refused = give(browser, order, body, language);
            assertThat(refused.statusCode()).as(body).isEqualTo(400);
            assertThat(json(refused).path("error").path("field").asText() + refused.body())
                .as(body)
                .contains("INVALID_REQUEST", field);
          });
    }
    assertThat(give(browser, order, "{\"name\":\"x\",\"email\":\"ming\"}", "zh-TW").body())
        .contains("電子郵件");
    assertThat(give(browser, order, "{\"name\":\"x\",\"email\":\"ming\"}", "zh-CN").body())
        .contains("电子邮件");
    assertThat(json(browser.call("GET", "/api/orders/" + order + "/details", "")).path("given"))
        .isEqualTo(JSON.getNodeFactory().booleanNode(false));
    assertThat(give(new PlainBrowser(server), order, VALUES, "en").statusCode()).isEqualTo(404);
    assertThat(
            new PlainBrowser(server)
                .call("GET", "/api/orders/" + order + "/details", "")
                .statusCode())
        .isEqualTo(404);
  }

  @Test
  void thePageWorksWithoutJavaScriptAndKeepsWhatWasEntered() {
    PlainBrowser browser = new PlainBrowser(server);
    String order = buy(browser, PAID).path("order_id").asText();
    String path = "/o/" + order + "/details";
    for (String language : new String[] {"en", "zh-TW", "zh-CN"}) {
      String page =
          browser
              .call(
                  "POST",
                  path,
                  "name=%3Cb%3EMing&email=ming&size=M",
                  "Content-Type",
                  "application/x-www-form-urlencoded",
                  "Accept-Language",
                  language)
              .body();
      assertThat(page).contains("value=\"&lt;b>Ming\"", "value=\"ming\"", "ming@example.com");
    }
    HttpResponse<String> saved =
        browser.call("POST", path, "name=Ming&email=ming%40example.com&size=M");
    assertThat(saved.statusCode()).isEqualTo(303);
    assertThat(saved.headers().firstValue("location")).contains("/pay/" + order);
    assertThat(browser.call("GET", path, "", "Accept", "text/html").body())
        .contains("value=\"Ming\"");
    assertThat(new PlainBrowser(server).call("GET", path, "", "Accept", "text/html").statusCode())
        .isEqualTo(404);
    HttpResponse<String> foreign =
        server.call(
            "POST",
            path,
            "name=Eve&email=eve%40example.com",
            "Cookie",
            browser.cookies(),
            "Sec-Fetch-Site",
            "cross-site");
    assertThat(foreign.statusCode()).isEqualTo(403);
    assertThat(browser.call("GET", path, "", "Accept", "text/html").body())
        .contains("value=\"Ming\"");
  }

  @Test
  void aSaleWithoutPaymentAsksAfterwards() {
    PlainBrowser browser = new PlainBrowser(server);
    String order = buy(browser, "{\"preset\":\"queue\"}").path("order_id").asText();
    assertThat(json(browser.call("GET", "/api/orders/" + order, "")).path("details_url").asText())
        .isEqualTo("/o/" + order + "/details");
    String receipt = browser.call("GET", "/o/" + order, "", "Accept", "text/html").body();
    assertThat(receipt).contains("/o/" + order + "/details");
    assertThat(
            browser
                .call("POST", "/o/" + order + "/details", "name=Ming&email=ming%40example.com")
                .headers()
                .firstValue("location"))
        .contains("/o/" + order);
    assertThat(browser.call("GET", "/o/" + order, "", "Accept", "text/html").body())
        .doesNotContain("/o/" + order + "/details");
  }

  @Test
  void operatorsReadExportAndEraseAndEachReadingIsRecorded() {
    PlainBrowser browser = new PlainBrowser(server);
    String order = buy(browser, PAID).path("order_id").asText();
    assertThat(give(browser, order, VALUES, "en").statusCode()).isEqualTo(200);
    String path = "/orders/" + order + "/details";
    String support = owner.token(Role.SUPPORT);
    for (Role role : new Role[] {Role.VIEWER, Role.SELLER}) {
      assertThat(admin("GET", path, owner.token(role)).statusCode()).isEqualTo(403);
    }
    assertThat(admin("GET", path, support).body()).contains("王小明", "Shirt size");
    String csv = admin("GET", "/products/" + product + "/details.csv", support).body();
    assertThat(csv)
        .contains("order_id,order_number,given_at,name,email,phone,address,size,other")
        .contains("王小明,ming@example.com")
        .contains("'=M");
    Eventually.await(
        () ->
            admin("GET", "/orders/" + order, support)
                .body()
                .contains("\"buyer_details\":\"given\""));
    String file =
        Eventually.get(
            "the reading is recorded",
            () -> server.admin("GET", "/orders/" + order, ""),
            text -> text.contains("GET /api/admin" + path));
    assertThat(file).doesNotContain("王小明");
    String audit =
        Eventually.get(
            "the export is recorded",
            () -> server.admin("GET", "/audit", ""),
            text -> text.contains("details.csv"));
    assertThat(audit).doesNotContain("王小明");
    assertThat(admin("DELETE", path, support).body()).contains("\"erased\":true");
    assertThat(admin("DELETE", path, support).body()).contains("\"erased\":false");
    assertThat(admin("GET", path, support).body()).contains("\"given\":false");
    // The page asks again for erased details.
    assertThat(pay(browser, order).body()).contains("BUYER_DETAILS_REQUIRED");
    assertThat(admin("GET", "/orders/none/details", support).statusCode()).isEqualTo(404);
    assertThat(admin("GET", "/products/404404/details.csv", support).statusCode()).isEqualTo(404);
  }

  @Test
  void whatAnAccountGaveGoesWithIt() {
    String body = "{\"username\":\"details%s\",\"password\":\"%s\"}".formatted(product, PASSWORD);
    var _ = server.callUntilAccepted("POST", "/api/v1/register", body);
    String bearer =
        "Bearer "
            + json(server.callUntilAccepted("POST", "/api/v1/login", body)).path("token").asText();
    PlainBrowser browser = new PlainBrowser(server, "Authorization", bearer);
    String order = buy(browser, PAID).path("order_id").asText();
    assertThat(give(browser, order, VALUES, "en").statusCode()).isEqualTo(200);
    assertThat(server.admin("GET", "/orders/" + order + "/details", "")).contains("王小明");
    HttpResponse<String> deleted =
        server.callUntilAccepted(
            "POST",
            "/api/v1/me/delete",
            "{\"password\":\"" + PASSWORD + "\"}",
            "Authorization",
            bearer);
    assertThat(deleted.statusCode()).as(deleted.body()).isEqualTo(200);
    assertThat(server.admin("GET", "/orders/" + order + "/details", ""))
        .contains("\"given\":false")
        .doesNotContain("王小明");
  }

  private static HttpResponse<String> admin(String method, String path, String token) {
    return server.callUntilAccepted(
        method,
        "/api/admin" + path,
        "",
        "Authorization",
        "Bearer " + token,
        "Accept-Language",
        "en");
  }
}
