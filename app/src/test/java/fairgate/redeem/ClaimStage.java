package fairgate.redeem;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import fairgate.app.pages.Chromium;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/// The claim page of a real server in Chromium, with a product to redeem. Screenshots:
/// `target/screenshots`.
final class ClaimStage implements AutoCloseable {
  private static final AtomicLong ORDERS = new AtomicLong(3_211_058_044_792_473_011L);

  private final RedeemTestServer shop;
  private final Chromium chromium;

  private ClaimStage(RedeemTestServer shop, Chromium chromium) {
    this.shop = shop;
    this.chromium = chromium;
  }

  static ClaimStage open() {
    RedeemTestServer shop = RedeemTestServer.open(Map.of());
    shop.product("basic", 30);
    shop.sql("UPDATE redeem_products SET name = '會員月卡 Basic'");
    return new ClaimStage(shop, new Chromium());
  }

  RedeemTestServer shop() {
    return shop;
  }

  /// A new order of Taobao.
  String order(String status) {
    String number = Long.toString(ORDERS.incrementAndGet());
    shop.order("taobao", number, "basic", status);
    return number;
  }

  Page page(Browser.NewContextOptions options, String locale) {
    return chromium.page(options, shop.server().baseUrl(), locale);
  }

  Page phone(String locale) {
    return page(new Browser.NewContextOptions().setViewportSize(360, 740), locale);
  }

  /// Sends the form, and again while the server is too busy for it.
  static void send(Page page) {
    Chromium.send(page, "**/claim", () -> page.click("#send"));
  }

  /// Waits for a stage of the page.
  void see(Page page, String stage) {
    page.waitForSelector("body[data-stage=" + stage + "] #title");
  }

  /// Discards browser errors that the test caused on purpose.
  void forgive() {
    chromium.forgive();
  }

  /// The browser errors of the pages.
  List<String> closePages() {
    return chromium.closePages();
  }

  @Override
  public void close() {
    chromium.close();
    shop.close();
  }
}
