package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The purchase form of the page without JavaScript, on the whole server.
@Tag("journey")
class FormPurchaseTest {
  private static final String PRODUCT = "860001";
  private static final Pattern TURN = Pattern.compile("name=\"turn\" value=\"([^\"]+)\"");

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    server =
        TestFairgate.start(
            TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of("limits", "off"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void onlyAFormThatWasLoadedDuringTheTurnBuys() {
    server.createProduct(PRODUCT, 5, "{\"preset\":\"flash\"}");
    server.openSale(PRODUCT);
    String cookie = join();
    String page = Eventually.get("the turn", () -> page(cookie), body -> TURN.matcher(body).find());
    Matcher turn = TURN.matcher(page);
    assertThat(turn.find()).isTrue();
    assertThat(buy(cookie, "quantity=1").statusCode()).isEqualTo(403);
    assertThat(buy(cookie, "quantity=1&turn=" + "x".repeat(22)).statusCode()).isEqualTo(403);
    assertThat(buy(join(), "quantity=1&turn=" + turn.group(1)).statusCode()).isNotEqualTo(303);
    assertThat(page(cookie)).contains("data-stage=\"ready\"");
    assertThat(buy(cookie, "quantity=1&turn=" + turn.group(1)).statusCode()).isEqualTo(303);
    assertThat(page(cookie)).contains("data-stage=\"pending\"");
  }

  @Test
  void aMissedTurnTellsWhenTheBuyerMayJoinAgain() {
    server.createProduct(
        "860002",
        5,
        "{\"preset\":\"flash\",\"purchase_window_seconds\":1,\"show_up_seconds\":null}");
    server.openSale("860002");
    String cookie = join("860002");
    String page =
        Eventually.get(
            "the end of the turn",
            () -> page("860002", cookie),
            body -> body.contains("data-stage=\"ended\""));
    assertThat(page)
        .contains("Your time to buy has passed")
        .containsPattern("You can join in \\d+ (min|sec)\\.");
  }

  @Test
  void aFormThatShowedAnotherPriceDoesNotBuy() {
    server.createProduct("860003", 5, "{\"preset\":\"flash\"}");
    server.openSale("860003");
    String cookie = join("860003");
    String page =
        Eventually.get("the turn", () -> page("860003", cookie), body -> TURN.matcher(body).find());
    assertThat(page).contains("name=\"unit_price\" value=\"100\"");
    Matcher turn = TURN.matcher(page);
    assertThat(turn.find()).isTrue();
    String form = "quantity=2&turn=" + turn.group(1) + "&unit_price=";
    HttpResponse<String> refused = buy("860003", cookie, form + "99");
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
    assertThat(refused.body()).contains("The price has changed.");
    assertThat(buy("860003", cookie, form + "100").statusCode()).isEqualTo(303);
  }

  @Test
  void everyWrongQuantityIsToldTheLimitsOfTheSale() {
    server.createProduct(
        "860004",
        5,
        "{\"preset\":\"queue\",\"max_quantity\":2,\"max_per_user\":2,\"max_per_device\":2}");
    server.openSale("860004");
    String cookie = join("860004");
    String _ =
        Eventually.get("the turn", () -> page("860004", cookie), body -> TURN.matcher(body).find());
    for (String quantity : List.of("0", "-1", "99", "1" + "0".repeat(30))) {
      assertThat(
              server
                  .call(
                      "POST",
                      "/api/purchase",
                      "{\"product_id\":\"860004\",\"quantity\":" + quantity + "}",
                      "cookie",
                      cookie,
                      "Accept-Language",
                      "en")
                  .body())
          .as(quantity)
          .contains("quantity must be between 1 and 2.");
    }
  }

  private static String join() {
    return join(PRODUCT);
  }

  private static String join(String product) {
    HttpResponse<String> joined =
        server.callUntilAccepted(
            "POST",
            "/api/queue/join",
            "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}"
                .formatted(product));
    assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
    return joined.headers().allValues("set-cookie").stream()
        .filter(line -> line.startsWith("fairgate_session="))
        .map(line -> line.substring(0, line.indexOf(';')))
        .findFirst()
        .orElseThrow();
  }

  private static String page(String cookie) {
    return page(PRODUCT, cookie);
  }

  private static String page(String product, String cookie) {
    return server
        .callUntilAccepted("GET", "/p/" + product, "", "cookie", cookie, "accept-language", "en")
        .body();
  }

  private static HttpResponse<String> buy(String cookie, String form) {
    return buy(PRODUCT, cookie, form);
  }

  private static HttpResponse<String> buy(String product, String cookie, String form) {
    return server.callUntilAccepted(
        "POST",
        "/p/" + product + "/buy",
        form,
        "cookie",
        cookie,
        "sec-fetch-site",
        "same-origin",
        "accept-language",
        "en");
  }
}
