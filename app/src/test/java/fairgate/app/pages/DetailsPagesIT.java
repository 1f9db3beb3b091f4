package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import fairgate.app.TestFairgate;
import fairgate.operator.access.TestOperator;
import fairgate.testkit.Eventually;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// A buyer gives details between the reservation and the payment, and an operator asks for them and
/// reads them, in Chromium. Screenshots: `target/screenshots`.
class DetailsPagesIT {
  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final Chromium chromium = new Chromium();

  @BeforeAll
  static void start() {
    server = TestFairgate.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static void sale(String sale) {
    server.createProduct(
        sale,
        9,
        "{\"preset\":\"queue\",\"ready_slots\":9,\"payment\":\"required\","
            + "\"payment_window_seconds\":600,\"places_per_ip\":null}");
  }

  @AfterEach
  void close() {
    chromium.close();
  }

  private static void ask(String sale) {
    assertThat(
            server.admin(
                "PUT",
                "/products/" + sale + "/content",
                """
                {"buyer_fields": [
                  {"kind": "name", "required": true}, {"kind": "email", "required": true},
                  {"kind": "phone"}, {"kind": "address"},
                  {"kind": "text", "key": "size",
                   "labels": {"en": "Shirt size", "zh-Hant": "衣服尺寸", "zh-Hans": "衣服尺码"}}]}
                """))
        .contains("size");
  }

  private Page page(int width, ColorScheme scheme, String locale) {
    return chromium.page(
        new Browser.NewContextOptions()
            .setViewportSize(width, 800)
            .setColorScheme(scheme)
            .setBypassCSP(true),
        server.baseUrl(),
        locale);
  }

  private static void buy(Page page, String sale) {
    page.navigate("/p/" + sale);
    Chromium.join(page);
    page.waitForSelector("body[data-stage='ready']");
    page.click("#panel .button.big");
    page.waitForSelector("body[data-stage='pending']");
    page.click("#panel .button.big");
    page.waitForURL("**/o/order_*/details");
  }

  @Test
  void aBuyerGivesDetailsAndPaysInThreeLanguages() {
    sale("6");
    ask("6");
    server.openSale("6");
    for (String locale : List.of("en", "zh-TW", "zh-CN")) {
      Page page = page(360, ColorScheme.LIGHT, locale);
      buy(page, "6");
      assertThat(barriers(page)).as(locale).isEmpty();
      shoot(page, "details-" + locale);
      page.fill("[name=email]", "ming");
      page.fill("[name=size]", "M");
      page.click(".button.big");
      page.waitForSelector("[name=email][aria-invalid=true]");
      assertThat(page.inputValue("[name=size]")).isEqualTo("M");
      assertThat(barriers(page)).as(locale).isEmpty();
      shoot(page, "details-refused-" + locale);
      page.fill("[name=name]", "王小明");
      page.fill("[name=email]", "ming@example.com");
      page.click(".button.big");
      page.waitForURL("**/pay/order_*");
      page.click("button[value=paid]");
      page.waitForSelector("body[data-stage='paid']");
    }
    Page dark = page(1200, ColorScheme.DARK, "en");
    buy(dark, "6");
    assertThat(barriers(dark)).isEmpty();
    shoot(dark, "details-desktop-dark");
    // The refused form is an answer with 400, which the browser notes.
    chromium.forgive();
    assertThat(chromium.closePages()).isEmpty();
  }

  @Test
  void anOperatorAsksForDetailsAndReadsAndErasesThemInTheConsole() {
    sale("7");
    TestOperator owner = TestOperator.firstOwner(server);
    Page page = page(1280, ColorScheme.LIGHT, "en");
    Chromium.signIn(page, server, owner);
    page.navigate("/console/sales/7/edit");
    page.click("summary:has-text('Ask buyers for')");
    page.selectOption("[name='content.ask.name']", "required");
    page.fill("[name='content.own.0.en']", "Shirt size");
    page.selectOption("[name='content.own.0.answer']", "optional");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-ask");
    page.click(".sale-form .button.primary");
    page.waitForSelector("dialog .diff");
    shoot(page, "console-ask-diff");
    page.click("dialog .primary");
    page.waitForSelector(".toast:has-text('Saved')");
    assertThat(server.admin("GET", "/products/7/content", ""))
        .contains("\"kind\":\"name\",\"required\":true", "\"key\":\"own_1\"", "Shirt size");
    page.navigate("/console/sales/7/edit");
    page.waitForSelector(".sale-form");
    assertThat(page.inputValue("[name='content.own.0.answer']")).isEqualTo("optional");

    server.openSale("7");
    Page buyer = page(360, ColorScheme.DARK, "en");
    buy(buyer, "7");
    shoot(buyer, "details-phone-dark");
    buyer.fill("[name=name]", "Wang Xiaoming");
    buyer.fill("[name=own_1]", "M");
    buyer.click(".button.big");
    buyer.waitForURL("**/pay/order_*");
    String order = buyer.url().replaceFirst(".*/pay/", "");
    Eventually.await(
        () ->
            server
                .call(
                    "GET",
                    "/api/admin/orders/" + order,
                    "",
                    "Authorization",
                    "Bearer " + TestFairgate.OPERATOR)
                .body()
                .contains("\"buyer_details\":\"given\""));

    page.navigate("/console/orders/" + order);
    page.waitForSelector("#reveal");
    assertThat(page.textContent("main")).doesNotContain("Wang Xiaoming");
    page.click("#reveal");
    page.waitForSelector("dd:has-text('Wang Xiaoming')");
    assertThat(page.textContent("main")).contains("Full name", "Shirt size");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-details");
    page.click("#erase");
    page.fill("dialog [name=reason]", "The buyer asked for it");
    page.click("dialog .danger");
    page.waitForSelector(".toast:has-text('The details are erased')");
    page.waitForSelector("main:has-text('The buyer has not given them yet')");
    assertThat(page.textContent("main")).contains("Erase what a buyer gave");
    page.navigate("/console/orders?product_id=7");
    page.waitForSelector("#details-csv");
    assertThat(chromium.closePages()).isEmpty();
  }
}
