package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static fairgate.app.pages.Chromium.tabTo;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import com.microsoft.playwright.options.WaitForSelectorState;
import fairgate.testkit.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A buyer in Chromium, from joining to the order number. Screenshots: `target/screenshots`.
class WaitingPageIT {
  private static final AtomicInteger IDS = new AtomicInteger(7000);
  private static final Pattern SERVER_TIME = Pattern.compile("\"server_time\":\\d+");

  private static RealShop shop;
  private static Chromium chromium;

  private String id = "";

  @BeforeAll
  static void start() {
    shop = new RealShop();
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
        """
        {"id": "%s", "name": "限量球鞋 Limited Sneaker", "image_url": "", "price": 99900,
         "total_stock": 50, "policy": {"preset": "queue", "max_quantity": 2, "max_per_user": 2,
         "payment": "required", "payment_window_seconds": 600}}
        """
            .formatted(id));
  }

  @AfterEach
  void close() {
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }

  @Test
  void aBuyerJoinsWaitsBuysPaysAndGetsAnOrderNumber() {
    shop.sellTickets(id);
    Page page = phone("en");
    page.navigate("/p/" + id);
    see(page, "idle");
    shoot(page, "1-before-opening");
    Chromium.join(page);
    see(page, "waiting");
    assertThat(page.textContent("#panel .place strong")).isEqualTo("1");
    shoot(page, "2-waiting");
    shop.openSale(id);
    see(page, "ready");
    page.waitForCondition(() -> page.title().contains("Your turn"));
    page.click("#panel .step:last-of-type");
    assertThat(page.textContent("#panel .total output")).contains("1,998");
    shoot(page, "3-ready");
    page.click("#panel .button.big");
    see(page, "pending");
    shoot(page, "4-reserved");
    page.context().setOffline(true);
    page.waitForSelector("#banner:not([hidden]):has-text('You are offline')");
    shoot(page, "4-reserved-offline");
    page.context().setOffline(false);
    page.waitForSelector("#banner", hidden());
    chromium.forgive();
    page.click("#panel .button.big");
    page.waitForURL("**/pay/order_*");
    page.waitForSelector("[data-left]:text-matches('Pay within \\\\d+:\\\\d\\\\d')");
    shoot(page, "5-sandbox");
    page.click("button[value=paid]");
    page.waitForURL("**/p/" + id);
    see(page, "paid");
    page.waitForSelector("#panel a[href$='/tickets']:has-text('Show tickets')");
    String number = page.textContent("#panel .number");
    assertThat(number).matches("[0-9A-Z]{4}-[0-9A-Z]{4}");
    shoot(page, "6-paid");
    page.click("#panel .number");
    page.waitForURL("**/o/order_" + id + "_*");
    assertThat(page.textContent("#number")).isEqualTo(number);
    shoot(page, "7-receipt");
    page.click(".receipt-page .center a");
    page.waitForURL("**/orders");
    Eventually.await(
        () -> {
          page.reload();
          return page.textContent(".own-orders").contains(number);
        });
    shoot(page, "8-my-orders");
  }

  @Test
  void reloadingAndReopeningKeepThePlace() {
    Page first = joined(phone("en"));
    Page page = joined(phone("en"));
    assertThat(page.textContent("#panel .place strong")).isEqualTo("2");
    page.reload();
    see(page, "waiting");
    page.waitForSelector("#panel .place strong:text-is('2')");
    Page again = page.context().newPage();
    page.close();
    again.navigate("/p/" + id);
    see(again, "waiting");
    again.waitForSelector("#panel .place strong:text-is('2')");
    first.click("#panel .button.text");
    first.click("dialog .button.danger");
    see(first, "ended");
    again.waitForSelector("#panel .place strong:text-is('1')");
  }

  @Test
  void aLostConnectionIsShownAndRestored() {
    Page phone = phone("en");
    // Chromium lets an open stream live when it simulates the loss of the network.
    phone.route("**/api/queue/stream*", Route::abort);
    Page page = joined(phone);
    page.context().setOffline(true);
    page.waitForSelector("#banner:not([hidden]):has-text('Your place is kept')");
    shoot(page, "lost");
    shop.openSale(id);
    page.unroute("**/api/queue/stream*");
    page.context().setOffline(false);
    page.waitForSelector("#banner", hidden());
    see(page, "ready");
    chromium.forgive();
  }

  @Test
  void aBuyerWhoseTurnRunsOutIsNotToldThatThePlaceIsKept() {
    shop.openSale(id);
    Page page = phone("en");
    // Chromium lets an open stream live when it simulates the loss of the network.
    page.route("**/api/queue/stream*", Route::abort);
    page.navigate("/p/" + id);
    Chromium.join(page);
    see(page, "ready");
    page.context().setOffline(true);
    page.waitForSelector("#banner:not([hidden]):has-text('You are offline')");
    assertThat(page.textContent("#banner")).doesNotContain("place is kept");
    chromium.forgive();
  }

  @Test
  void anOutdatedResponseDoesNotRevokeTheTurn() {
    Page page = phone("en");
    // The page neither gives the late response up nor takes it for that of another server,
    // however long it takes.
    page.addInitScript(
        """
        AbortSignal.timeout = undefined;
        window.times = [];
        const parse = JSON.parse;
        JSON.parse = (text) => {
          const value = parse(text);
          if (value?.server_time) window.times.push(value.server_time);
          return value;
        };
        """);
    List<Runnable> late = new ArrayList<>();
    page.route(
        "**/api/queue/status",
        route -> {
          if (late.isEmpty()) {
            APIResponse old = route.fetch();
            late.add(
                () ->
                    route.fulfill(
                        new Route.FulfillOptions()
                            .setResponse(old)
                            .setBody(justBefore(page, old))));
          } else {
            route.resume();
          }
        });
    page.navigate("/p/" + id);
    Chromium.join(page);
    see(page, "waiting");
    page.waitForCondition(() -> !late.isEmpty());
    shop.openSale(id);
    see(page, "ready");
    page.waitForResponse("**/api/queue/status", late.getFirst());
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))");
    assertThat(page.getAttribute("body", "data-stage")).isEqualTo("ready");
  }

  /// The response as of a moment before the last event of the page's stream.
  private static String justBefore(Page page, APIResponse old) {
    long last = ((Number) page.evaluate("Math.max(...window.times)")).longValue();
    assertThat(old.text()).containsPattern(SERVER_TIME);
    return SERVER_TIME.matcher(old.text()).replaceFirst("\"server_time\":" + (last - 1));
  }

  @Test
  void aPurchaseWithALostResponseIsRetriedWithTheSameKey() {
    shop.openSale(id);
    Page page = phone("en");
    List<String> keys = new ArrayList<>();
    page.route(
        "**/api/purchase",
        route -> {
          keys.add(route.request().headerValue("idempotency-key"));
          if (keys.size() == 1) {
            route.abort();
          } else {
            route.resume();
          }
        });
    page.navigate("/p/" + id);
    Chromium.join(page);
    see(page, "ready");
    page.click("#panel .button.big");
    see(page, "pending");
    // A server that is too busy has the page try once more.
    assertThat(keys).hasSizeGreaterThanOrEqualTo(2).containsOnly(keys.getFirst());
    chromium.forgive();
  }

  /// Over HTTP/1.1 Chromium opens six connections to a server.
  @Test
  void eightTabsOfABrowserDoNotDelayAPurchase() {
    Page page = joined(phone("en"));
    for (int i = 0; i < 7; i++) {
      Page tab = page.context().newPage();
      tab.navigate("/p/" + id);
      see(tab, "waiting");
    }
    shop.openSale(id);
    see(page, "ready");
    page.click("#panel .button.big");
    see(page, "pending");
    Page newest = page.context().pages().getLast();
    see(newest, "pending");
  }

  @Test
  void withoutLocksAHiddenTabClosesItsStreamAndOpensItWhenItIsShown() {
    Page page = phone("en");
    page.addInitScript("Object.defineProperty(Navigator.prototype, 'locks', {value: undefined})");
    page.addInitScript(Chromium.WATCHED_STREAMS);
    Page waiting = joined(page);
    waiting.waitForCondition(
        () -> Boolean.TRUE.equals(waiting.evaluate("streams.at(-1)?.readyState === 1")));
    Chromium.hide(waiting, true);
    waiting.waitForCondition(
        () ->
            Boolean.TRUE.equals(waiting.evaluate("streams.every(each => each.readyState === 2)")));
    shop.openSale(id);
    see(waiting, "ready");
    assertThat(waiting.evaluate("streams.every(each => each.readyState === 2)")).isEqualTo(true);
    Chromium.hide(waiting, false);
    waiting.waitForCondition(
        () -> Boolean.TRUE.equals(waiting.evaluate("streams.at(-1).readyState === 1")));
  }

  @Test
  void theLanguageCanBeSwitchedWhileWaiting() {
    Page page = joined(phone("en"));
    page.click(".langs a[lang=zh-Hant]");
    see(page, "waiting");
    assertThat(page.getAttribute("html", "lang")).isEqualTo("zh-Hant");
    assertThat(page.textContent("#panel h2")).isEqualTo("您正在排隊");
    page.navigate("/p/" + id);
    assertThat(page.getAttribute("html", "lang")).as("remembered").isEqualTo("zh-Hant");
    page.click(".langs a[lang=zh-Hans]");
    see(page, "waiting");
    assertThat(page.textContent("#panel h2")).isEqualTo("您正在排队");
  }

  @Test
  void withoutJavaScriptThePageShowsThePlaceAndRefreshes() {
    Page page =
        page(
            new Browser.NewContextOptions()
                .setJavaScriptEnabled(false)
                .setReducedMotion(ReducedMotion.REDUCE)
                .setViewportSize(360, 740),
            "en");
    page.navigate("/p/" + id);
    page.click("form .button.primary");
    assertThat(page.textContent("main")).contains("You are in line", "refreshes itself");
    assertThat(page.content()).contains("http-equiv=\"refresh\"");
    shoot(page, "nojs-waiting");
    shop.openSale(id);
    page.navigate("/p/" + id);
    page.selectOption("select[name=quantity]", "2");
    shoot(page, "nojs-ready");
    page.click("form .button.big");
    page.click("a.button.big");
    page.click("button[value=paid]");
    assertThat(page.textContent("main")).contains("It is yours");
    assertThat(page.getAttribute(".receipt .number", "href")).startsWith("/o/order_" + id + "_");
    shoot(page, "nojs-paid");
  }

  @Test
  void theWholeJourneyWorksByKeyboard() {
    shop.openSale(id);
    Page page = phone("en");
    page.navigate("/p/" + id);
    see(page, "idle");
    tabTo(page, "Join the line");
    page.keyboard().press("Enter");
    see(page, "ready");
    tabTo(page, "Buy now");
    page.keyboard().press("Enter");
    see(page, "pending");
    tabTo(page, "Cancel the order");
    page.keyboard().press("Enter");
    page.waitForSelector("dialog[open]");
    page.keyboard().press("Escape");
    page.waitForSelector(
        "dialog", new Page.WaitForSelectorOptions().setState(WaitForSelectorState.DETACHED));
    tabTo(page, "Pay now");
    page.keyboard().press("Enter");
    page.waitForURL("**/pay/order_*");
  }

  @Test
  void aScreenReaderHearsMilestonesAndFindsNoBarrier() {
    Page page = page(new Browser.NewContextOptions().setBypassCSP(true), "en");
    page.navigate("/");
    assertThat(barriers(page)).as("list").isEmpty();
    page.navigate("/p/" + id);
    see(page, "idle");
    assertThat(barriers(page)).as("idle").isEmpty();
    Chromium.join(page);
    see(page, "waiting");
    assertThat(page.getAttribute("#announcer", "aria-live")).isEqualTo("polite");
    page.waitForCondition(() -> page.textContent("#announcer").contains("Your place: 1"));
    assertThat(barriers(page)).as("waiting").isEmpty();
    shop.openSale(id);
    see(page, "ready");
    page.waitForCondition(() -> page.textContent("#announcer").equals("It is your turn"));
    assertThat(barriers(page)).as("ready").isEmpty();
    page.click("#panel .button.big");
    see(page, "pending");
    assertThat(barriers(page)).as("pending").isEmpty();
  }

  @Test
  void desktopAndDarkLookRight() {
    Page page =
        page(
            new Browser.NewContextOptions()
                .setViewportSize(1280, 800)
                .setColorScheme(ColorScheme.DARK),
            "zh-TW");
    page.navigate("/");
    page.waitForSelector(".sales");
    shoot(page, "desktop-dark-list");
    joined(page);
    shoot(page, "desktop-dark-waiting");
  }

  private static Page phone(String locale) {
    return page(new Browser.NewContextOptions().setViewportSize(360, 740), locale);
  }

  private static Page page(Browser.NewContextOptions options, String locale) {
    return chromium.page(options, shop.baseUrl(), locale);
  }

  private Page joined(Page page) {
    page.navigate("/p/" + id);
    Chromium.join(page);
    see(page, "waiting");
    return page;
  }

  private static void see(Page page, String stage) {
    page.waitForSelector("body[data-stage=" + stage + "] #panel h2");
  }

  private static Page.WaitForSelectorOptions hidden() {
    return new Page.WaitForSelectorOptions().setState(WaitForSelectorState.HIDDEN);
  }
}
