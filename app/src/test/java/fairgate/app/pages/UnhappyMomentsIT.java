package fairgate.app.pages;

import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The pages in Chromium when something goes wrong. Screenshots: `target/screenshots`.
class UnhappyMomentsIT {
  private static final AtomicInteger IDS = new AtomicInteger(100);

  /// A browser that allows no site data.
  private static final String BLOCKED_STORAGE =
      """
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('denied', 'SecurityError');
          },
        });
      }
      navigator.locks.request = async () => {
        throw new DOMException('denied', 'SecurityError');
      };
      """;

  /// A web view of an Android app.
  private static final String ABSENT_STORAGE =
      """
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
        Object.defineProperty(window, name, {value: null});
      }
      """;

  private static final String FULL_STORAGE =
      """
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
      """;

  /// The list of sales asks again after so many milliseconds at most.
  private static final int SHOP_MS = 6_000;

  private static FakeShop shop;
  private static Chromium chromium;

  private String id = "";

  @BeforeAll
  static void start() {
    shop = new FakeShop();
    chromium = new Chromium();
  }

  @AfterAll
  static void stop() {
    chromium.close();
    shop.close();
  }

  @BeforeEach
  void create() {
    id = String.valueOf(IDS.incrementAndGet());
    shop.createProduct(
        "{\"id\":\"%s\",\"name\":\"限量球鞋 Limited Sneaker\",\"image_url\":\"\",\"price\":99900,"
                .formatted(id)
            + "\"total_stock\":50,\"payment_window_seconds\":600}");
  }

  @AfterEach
  void close() {
    shop.ban(false);
    shop.coolDown(false);
    shop.endDeposits("paid");
    var _ = chromium.closePages();
  }

  @Test
  void aTurnWithoutStockShowsReservedUnitsAndTheButtonReturns() {
    shop.openSale(id);
    for (String locale : new String[] {"en", "zh-TW", "zh-CN"}) {
      Page page = joined(locale);
      see(page, "ready");
      shop.hold(id, true);
      page.waitForSelector("#panel .button.big[disabled]");
      page.waitForSelector("#panel .note.warn:not([hidden]):has-text('3')");
      page.waitForCondition(() -> page.textContent("#panel .note.warn >> nth=1").contains(":"));
      shoot(page, "unhappy-sold-out-" + locale);
      if (locale.startsWith("zh")) {
        assertThat(page.textContent("#panel .note.warn >> nth=1"))
            .as("no blank between sentences, one between a digit and Chinese")
            .doesNotContain("。 ")
            .containsPattern("\\d:\\d\\d [後后]");
      }
      shop.hold(id, false);
      page.waitForSelector("#panel .button.big:not([disabled])");
      assertThat(page.isVisible("#panel .note.warn >> nth=1")).isFalse();
    }
  }

  @Test
  void aPaidDepositIsToldUntilItsEnd() {
    shop.createProduct(
        """
        {"id":"%s","name":"Sneaker","image_url":"","price":99900,"total_stock":50,
         "payment_window_seconds":600,"payment_required":true,"deposit":20000}
        """
            .formatted(id));
    Page page = joined("en");
    see(page, "waiting");
    assertThat(page.textContent("#deposit")).contains("Your deposit of NT$200 is paid.");
    page.click("#panel .button.text");
    page.waitForSelector("dialog:has-text('Your deposit of NT$200 goes back to you.')");
    page.click("dialog .quiet");
    shop.openSale(id);
    see(page, "ready");
    page.waitForSelector("#panel .total:has-text('NT$799')");
    page.waitForSelector("#panel:has-text('do not pay the rest, the shop keeps it.')");
    page.click("#panel .button.text");
    page.waitForSelector("dialog:has-text('The shop keeps your deposit of NT$200.')");
    shoot(page, "unhappy-deposit-leave");
    shop.endDeposits("kept");
    page.click("dialog .danger");
    see(page, "ended");
    page.waitForSelector("#panel:has-text('The shop keeps your deposit of NT$200.')");
    page.waitForSelector("#deposit:has-text('The shop keeps your deposit of NT$200.')");
    shoot(page, "unhappy-deposit-kept");
  }

  private void createDepositSale(int price) {
    shop.createProduct(
        """
        {"id":"%s","name":"Sneaker","image_url":"","price":%d,"total_stock":50,
         "payment_window_seconds":600,"payment_required":true,"deposit":20000}
        """
            .formatted(id, price));
  }

  @Test
  void aDepositAboveThePriceCountsTowardsAnOrderThatCostsAsMuch() {
    createDepositSale(10_000);
    for (String locale : new String[] {"en", "zh-TW", "zh-CN"}) {
      Page page = joined(locale);
      page.waitForSelector("#deposit:has-text('NT$200')");
      shoot(page, "unhappy-deposit-above-" + locale);
    }
    Page page = joined("en");
    see(page, "waiting");
    page.waitForSelector("#deposit:has-text('but the price has changed')");
    shop.openSale(id);
    see(page, "ready");
    page.waitForSelector("#panel:has-text('you pay all of it')");
    page.waitForSelector("#panel:has-text('If you let your turn pass, the shop keeps it.')");
    assertThat(page.isVisible("#panel .total >> nth=1")).as("the rest").isFalse();
    shoot(page, "unhappy-deposit-above-ready");
    page.click("[aria-label='One more']");
    page.waitForSelector("#panel:has-text('It counts towards the price.')");
    page.waitForSelector("#panel .total:has-text('NT$0')");
  }

  @Test
  void nobodyIsAskedForADepositWhenAllUnitsAreSoldAndPaid() {
    createDepositSale(99_900);
    shop.endDeposits("returned");
    shop.openSale(id);
    Page page = phone("en");
    page.navigate("/p/" + id);
    page.waitForSelector("#deposit:has-text('Your deposit of NT$200 goes back to you.')");
    page.waitForSelector("#panel .button.primary");
    shop.sell(id);
    page.reload();
    page.waitForSelector("#state:has-text('Sold out')");
    assertThat(page.textContent("#panel")).contains("All units are sold and paid.");
    assertThat(page.isVisible("#panel .button:has-text('Join')")).isFalse();
    shop.endDeposits("paid");
    page.reload();
    page.waitForSelector("#panel .button:has-text('Join the line anyway')");
  }

  @Test
  void whoBlocksCookiesIsToldBeforeTheJoinThatPayingNeedsThem() {
    shop.createProduct(
        """
        {"id":"%s","name":"Sneaker","image_url":"","price":99900,"total_stock":50,
         "payment_window_seconds":600,"payment_required":true}
        """
            .formatted(id));
    shop.openSale(id);
    Page page = phone("en");
    page.addInitScript(
        "Object.defineProperty(Navigator.prototype, 'cookieEnabled', {get: () => false});");
    join(page);
    page.waitForSelector("#problem:has-text('paying needs them')");
    see(page, "idle");
  }

  @Test
  void betweenBatchesBuyersReadThatMoreUnitsCome() {
    shop.createProduct(
        """
        {"id":"%s","name":"Sneaker","image_url":"","price":99900,"total_stock":50,
         "payment_window_seconds":600,"next_batch_at":"2099-01-01T00:00:00Z"}
        """
            .formatted(id));
    shop.openSale(id);
    Page page = joined("en");
    see(page, "ready");
    shop.hold(id, true);
    page.waitForSelector("#panel .note.warn:not([hidden]):has-text('More units go on sale: ')");
    assertThat(page.textContent("#panel")).doesNotContain("All units are", "refund");
    page.waitForSelector("#state:has-text('More in')");
    page.waitForSelector("#stock:has-text('None left until more units come')");
    assertThat(page.request().get("/p/" + id + "?lang=en").text())
        .contains("More units go on sale: in ");
    page.navigate("/");
    page.waitForSelector("[data-product='" + id + "'] .badge:has-text('More in')");
    assertThat(page.textContent("[data-product='" + id + "'] .stock")).contains("until more units");
  }

  @Test
  void aBuyerSeesThatATurnOutlastsTheSale() {
    shop.openSale(id);
    Page page = joined("en");
    see(page, "ready");
    shop.closeSale(id);
    page.waitForSelector(
        "#panel .more:has-text('The sale has closed, but this time is still yours')");
    assertThat(page.isEnabled("#panel .button.big")).isTrue();
    shoot(page, "unhappy-closed-while-ready");
    page.click("#panel .button.big");
    see(page, "pending");
  }

  @Test
  void aDeclinedPaymentIsShownWithTheRemainingTime() {
    shop.openSale(id);
    Page page = joined("en");
    see(page, "ready");
    page.click("#panel .button.big");
    see(page, "pending");
    page.click("#panel .button.big");
    page.waitForURL("**/pay/order_*");
    page.click("button[value=failed]");
    page.waitForURL("**/p/" + id);
    see(page, "pending");
    page.waitForSelector("#panel .note.bad:has-text('The payment was declined')");
    assertThat(page.textContent("#panel .count")).matches("\\d+:\\d\\d");
    assertThat(page.textContent("#panel .button.big")).isEqualTo("Try to pay again");
    shoot(page, "unhappy-declined");
  }

  @Test
  void theButtonShowsWhenABuyerWhoDidNotPayMayJoin() {
    shop.openSale(id);
    shop.coolDown(true);
    Page page = phone("en");
    stopClock(page);
    page.navigate("/p/" + id);
    page.click("#panel .button.primary");
    page.waitForSelector("#panel .button.primary[disabled]:has-text('You can join in 0:0')");
    page.waitForSelector("#problem:not([hidden])");
    assertThat(page.textContent("#problem")).doesNotContain("Too many requests");
    shoot(page, "unhappy-cooldown");
    shop.coolDown(false);
    passAnHour(page);
    page.waitForSelector("#panel .button.primary:not([disabled]):has-text('Join the line')");
    page.click("#panel .button.primary");
    see(page, "ready");
  }

  @Test
  void aMissedTurnTellsItsReasonAndWhenTheBuyerMayJoinAgain() {
    shop.openSale(id);
    Page page = phone("en");
    stopClock(page);
    join(page);
    see(page, "ready");
    shop.missTurns();
    see(page, "ended");
    assertThat(page.textContent("#panel"))
        .contains("Your time to buy has passed")
        .containsPattern("You can join in \\d+:\\d\\d");
    assertThat(page.locator("#panel .button[disabled]").textContent()).contains("You can join in");
    shoot(page, "unhappy-missed");
    passAnHour(page);
    page.waitForSelector("#panel .button:not([disabled])");
  }

  @Test
  void aVisitorBannedWhileWaitingSeesTheBanAndReturnsAfterwards() {
    Page page = joined("en");
    see(page, "waiting");
    shop.ban(true);
    see(page, "banned");
    assertThat(page.textContent("#panel"))
        .contains("You cannot use this site", "decision-4711", "help@shop.example");
    shoot(page, "unhappy-banned");
    page.reload();
    assertThat(page.textContent("main")).contains("Case number", "decision-4711");
    shoot(page, "unhappy-banned-page");
    shop.ban(false);
    page.click(".button.primary");
    page.navigate("/p/" + id);
    see(page, "waiting");
  }

  @Test
  void theTabAndTheShopShowThePosition() {
    Page first = joined("en");
    see(first, "waiting");
    Page page = joined("en");
    see(page, "waiting");
    assertThat(page.title()).startsWith("No. 2 \u2013 ");
    page.clock().install();
    page.navigate("/");
    String card = "[data-product='" + id + "'] .mine";
    page.waitForSelector(card + ":has-text('Your place: 2')");
    shop.openSale(id);
    Chromium.passUntil(page, SHOP_MS, card + ":has-text('It is your turn')");
    shoot(page, "unhappy-shop-place");
  }

  @ParameterizedTest
  @ValueSource(strings = {BLOCKED_STORAGE, ABSENT_STORAGE, FULL_STORAGE})
  void aBrowserThatStoresNothingBuysAndPays(String storage) {
    shop.openSale(id);
    Page page = phone("en");
    page.addInitScript(storage);
    page.navigate("/");
    page.waitForSelector("[data-product='" + id + "'] .badge.open");
    join(page);
    see(page, "ready");
    page.click("#panel .button.big");
    see(page, "pending");
    page.click("#panel .button.big");
    page.waitForURL("**/pay/order_*");
    page.click("button[value=paid]");
    page.waitForURL("**/p/" + id);
    see(page, "paid");
    assertThat(chromium.closePages()).isEmpty();
  }

  private Page joined(String locale) {
    Page page = phone(locale);
    join(page);
    return page;
  }

  private void join(Page page) {
    page.navigate("/p/" + id);
    page.click("#panel .button.primary");
  }

  /// The clock of the next pages stands still, so no pause is over before the test has seen it.
  private static void stopClock(Page page) {
    page.addInitScript(
        """
        window.passed = 0;
        const begin = Date.now();
        Date.now = () => begin + window.passed;
        """);
  }

  private static void passAnHour(Page page) {
    page.evaluate("window.passed = 3600000");
  }

  private static Page phone(String locale) {
    return chromium.page(
        new Browser.NewContextOptions().setViewportSize(360, 740), shop.baseUrl(), locale);
  }

  private static void see(Page page, String stage) {
    page.waitForSelector("body[data-stage='" + stage + "']");
  }
}
