package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.WaitForSelectorState;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The waiting list of a sold-out sale in Chromium. Screenshots: `target/screenshots`.
class StandbyPageIT {
  private static final String POLICY =
      """
      {"preset": "queue", "payment": "required", "payment_window_seconds": 600, "max_quantity": 2,
       "active_capacity": 50, "ready_slots": 50, "places_per_ip": null, "units_per_ip": null}
      """;

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

  @AfterEach
  void close() {
    chromium.close();
  }

  private Page page(String locale, int width, ColorScheme scheme) {
    return chromium.page(server, locale, width, scheme);
  }

  /// Sells the only unit; returns the order.
  private String soldOut(String sale) {
    server.createProduct(sale, 1, POLICY);
    server.openSale(sale);
    return PageBuyer.buy(page("en", 800, ColorScheme.LIGHT), sale, 1).id();
  }

  @Test
  void aPersonRegistersAndPaysWhenTheUnitIsOffered() {
    String order = soldOut("9990");
    Page page = page("en", 1280, ColorScheme.LIGHT);
    page.navigate("/p/9990");
    page.waitForSelector(".standby a:visible");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "standby-sale-en");
    page.click(".standby a");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "standby-form-en");
    page.click("#register");
    assertThat(page.textContent("[role=alert]:not([hidden])")).contains("Join the line first");
    shoot(page, "standby-join-first-en");
    page.click("a[href='/p/9990']");
    var _ = PageBuyer.join(page, "9990");
    page.navigate("/p/9990/waiting-list");
    page.click("#register");
    assertThat(page.textContent("#position")).contains("number 1");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "standby-registered-en");
    server.cancelOrder(order);
    Eventually.await(
        "the unit is offered",
        () -> {
          page.reload();
          return page.isVisible("#offer");
        });
    assertThat(barriers(page)).isEmpty();
    shoot(page, "standby-offered-en");
    page.click("#offer");
    page.click("a.button.big");
    page.click("button[value=paid]");
    page.waitForURL("**/p/9990");
    chromium.forgive();
  }

  @Test
  void aPersonLeavesTheListOfASaleThatSellsByADraw() {
    var _ = soldOut("9992");
    Page page = page("en", 800, ColorScheme.LIGHT);
    page.navigate("/p/9992");
    var _ = PageBuyer.join(page, "9992");
    page.navigate("/p/9992/waiting-list");
    page.click("#register");
    assertThat(page.textContent("#position")).contains("number 1");
    String draw = POLICY.replace("{", "{\"pre_queue\": \"draw\", ");
    var _ = server.admin("PATCH", "/products/9992", "{\"policy\": " + draw + "}");
    page.reload();
    assertThat(page.textContent("#position")).contains("number 1");
    assertThat(page.textContent("main")).contains("This list is paused");
    assertThat(page.locator("#register").count()).isZero();
    assertThat(barriers(page)).isEmpty();
    // As from a page that was open before the change.
    assertThat(
            page.evaluate(
                "fetch('', {method: 'POST', body: new URLSearchParams({quantity: 1})})"
                    + ".then(async it => it.status + (await it.text()).match(/number 1/)[0])"))
        .isEqualTo("409number 1");
    chromium.forgive();
    page.click("#withdraw");
    page.waitForSelector(
        "#withdraw", new Page.WaitForSelectorOptions().setState(WaitForSelectorState.DETACHED));
    assertThat(page.textContent("main")).contains("This list is paused");
    assertThat(chromium.closePages()).as("errors in the browser").isEqualTo(List.of());
  }

  @Test
  void thePageFitsATelephoneInTheDarkAndInChinese() {
    var _ = soldOut("9991");
    look("zh-TW", ColorScheme.DARK);
    look("zh-CN", ColorScheme.LIGHT);
    assertThat(chromium.closePages()).as("errors in the browser").isEqualTo(List.of());
  }

  private void look(String locale, ColorScheme scheme) {
    Page phone = page(locale, 360, scheme);
    phone.navigate("/p/9991");
    phone.waitForSelector(".standby a:visible");
    shoot(phone, "standby-sale-" + locale);
    var _ = PageBuyer.join(phone, "9991");
    phone.navigate("/p/9991/waiting-list");
    assertThat(barriers(phone)).isEmpty();
    shoot(phone, "standby-form-" + locale);
    phone.click("#register");
    assertThat(barriers(phone)).isEmpty();
    shoot(phone, "standby-registered-" + locale);
  }
}
