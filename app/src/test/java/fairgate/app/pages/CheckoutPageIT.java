package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.pay.FakeEcpay;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The page that leads to a payment provider by a form, in Chromium. Screenshots:
/// `target/screenshots`.
class CheckoutPageIT {
  private static final String POLICY =
      """
      {"preset": "queue", "payment": "required", "payment_window_seconds": 600,
       "active_capacity": 50, "ready_slots": 50, "places_per_ip": null, "units_per_ip": null}
      """;

  @SuppressWarnings("NullAway.Init")
  private static FakeEcpay ecpay;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final Chromium chromium = new Chromium();

  /// The form that the provider got.
  private final AtomicReference<String> sent = new AtomicReference<>("");

  @BeforeAll
  static void start() {
    TestEngines.shared().flushRedis();
    ecpay =
        new FakeEcpay(
            "3002607", "pwFHCqoQZGmho4w6", "EkRm7iFT261dpevs", "59997889", Clock.systemUTC());
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "payment.provider", "ecpay",
                "payment.ecpay_merchant_id", "3002607",
                "payment.ecpay_hash_key", "pwFHCqoQZGmho4w6",
                "payment.ecpay_hash_iv", "EkRm7iFT261dpevs",
                "payment.ecpay_credit_check_code", "59997889",
                "payment.api_url", ecpay.url()));
    server.createProduct("9960", 20, POLICY);
    server.openSale("9960");
  }

  @AfterAll
  static void stop() {
    server.close();
    ecpay.close();
  }

  @AfterEach
  void close() {
    chromium.close();
  }

  private Page buyer(String locale, int width, ColorScheme scheme) {
    Page page = chromium.page(server, locale, width, scheme);
    page.route(
        ecpay.url() + "/**",
        route -> {
          sent.set(String.valueOf(route.request().postData()));
          route.fulfill(
              new Route.FulfillOptions().setContentType("text/html").setBody("<h1>ECPay</h1>"));
        });
    return page;
  }

  @Test
  void theFormIsSentAtOnce() {
    Page page = buyer("en", 1280, ColorScheme.LIGHT);
    PageBuyer.Order order = PageBuyer.buy(page, "9960", 1);
    page.navigate("/pay/" + order.id());
    page.waitForSelector("h1:text-is('ECPay')");
    assertThat(sent.get()).contains("MerchantTradeNo=", "CheckMacValue=");
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }

  /// As when the script does not arrive.
  @Test
  void theButtonSendsTheFormInThreeLanguages() {
    look("en", 1280, ColorScheme.LIGHT);
    look("en", 360, ColorScheme.DARK);
    look("zh-TW", 360, ColorScheme.DARK);
    look("zh-CN", 360, ColorScheme.LIGHT);
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }

  private void look(String locale, int width, ColorScheme scheme) {
    Page page = buyer(locale, width, scheme);
    page.route(
        "**/checkout*.js",
        route ->
            route.fulfill(
                new Route.FulfillOptions().setContentType("text/javascript").setBody("")));
    PageBuyer.Order order = PageBuyer.buy(page, "9960", 1);
    page.navigate("/pay/" + order.id());
    assertThat(barriers(page)).as(locale).isEmpty();
    shoot(page, "checkout-" + locale + "-" + width);
    sent.set("");
    page.click("#checkout button");
    page.waitForSelector("h1:text-is('ECPay')");
    assertThat(sent.get()).contains("MerchantTradeNo=");
  }
}
