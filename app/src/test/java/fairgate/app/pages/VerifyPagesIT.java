package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeSmsGateway;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A guest's way into a sale that counts telephones, in Chromium on a small telephone, with and
/// without JavaScript. Screenshots: `target/screenshots`.
class VerifyPagesIT {
  private static final String SECRET = "whsec_" + "c2VjcmV0".repeat(5);
  private static final String PASSWORD = "correct horse 9";
  private static final AtomicLong PHONES = new AtomicLong(System.nanoTime() % 90_000_000L);
  private static final AtomicLong PRODUCTS = new AtomicLong(860_000);

  @SuppressWarnings("NullAway.Init")
  private static FakeSmsGateway gateway;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  @SuppressWarnings("NullAway.Init")
  private static Chromium chromium;

  private final String product = Long.toString(PRODUCTS.incrementAndGet());
  private final String name = "u" + UUID.randomUUID().toString().substring(0, 12);
  private final String phone = "+8869%08d".formatted(PHONES.incrementAndGet());

  @BeforeAll
  static void start() {
    gateway = FakeSmsGateway.start(0, SECRET, "AC1:token", Clock.systemUTC());
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "limits",
                "on",
                "messages.sms",
                "webhook",
                "messages.webhook_url",
                "http://127.0.0.1:" + gateway.port() + "/send",
                "messages.webhook_secret",
                SECRET));
    chromium = new Chromium();
  }

  @AfterAll
  static void stop() {
    chromium.close();
    server.close();
    gateway.close();
  }

  @AfterEach
  void close() {
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }

  private static Browser.NewContextOptions small() {
    return new Browser.NewContextOptions().setViewportSize(360, 740).setBypassCSP(true);
  }

  private void sale() {
    server.createProduct(product, 5, "{\"preset\":\"queue\",\"identity\":\"phone\"}");
    server.openSale(product);
  }

  private String code(int number) {
    List<FakeSmsGateway.Sms> all =
        Eventually.get(
            "an SMS",
            () -> gateway.delivered().stream().filter(it -> it.to().equals(phone)).toList(),
            some -> some.size() >= number);
    return all.getLast().text().substring(0, 6);
  }

  private void register(Page page) {
    Eventually.await(
        "the server is not too busy to register",
        () -> {
          if (page.locator("form[action='/account/register']").count() == 0) {
            page.click(".account a[href^='/account/register']");
          }
          page.fill("[name=username]", name);
          page.fill("[name=password]", PASSWORD);
          page.click(".account .button.primary");
          return page.url().contains("/account/verify");
        });
  }

  private static void see(Page page, String name) {
    shoot(page, name);
    assertThat(barriers(page)).as(name).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "account, You need an account to join.",
    "phone, You need an account with a verified telephone number to join.",
    "person, You need an account with a verified identity number to join."
  })
  void thePageAsksOnlyForWhatTheSaleNeeds(String identity, String said) {
    server.createProduct(
        product, 5, "{\"preset\":\"queue\",\"identity\":\"%s\"}".formatted(identity));
    server.openSale(product);
    Page page = chromium.page(small(), server.baseUrl(), "en");
    page.navigate("/p/" + product);
    assertThat(page.textContent("#panel a[href^='/account']")).isEqualTo(said);
  }

  @Test
  void aGuestSignsInVerifiesATelephoneAndStandsInLine() {
    sale();
    Page page = chromium.page(small(), server.baseUrl(), "zh-TW");
    page.navigate("/p/" + product);
    see(page, "verify-1-sale");
    Chromium.join(page);
    page.waitForSelector("#problem a.button");
    // The refusal of the join.
    chromium.forgive();
    see(page, "verify-2-refused");
    page.click("#problem a.button");
    see(page, "verify-3-sign-in");
    register(page);
    see(page, "verify-4-telephone");
    page.fill("[name=contact]", phone);
    page.click(".account .button.primary");
    see(page, "verify-5-code");
    page.fill("[name=code]", code(1));
    page.click(".account .button.primary");
    page.waitForURL("**/p/" + product);
    Eventually.await(
        "a place in the queue",
        () ->
            List.of("waiting", "active", "ready")
                .contains(page.getAttribute("body", "data-stage")));
    see(page, "verify-6-place");

    page.navigate("/account");
    see(page, "verify-7-account");
    page.click("a[href='/account/verify']");
    assertThat(page.locator(".signed-in li").count()).isEqualTo(1);
    see(page, "verify-8-verified");
    page.click("[action='/account/verify/remove'] button");
    assertThat(page.locator(".signed-in li").count()).isZero();
  }

  @Test
  void theSameWayWorksWithoutJavaScript() {
    sale();
    Page page = chromium.page(small().setJavaScriptEnabled(false), server.baseUrl(), "en-GB");
    page.navigate("/p/" + product);
    page.click("[action$='/join'] button");
    assertThat(page.textContent("[role=alert]:visible")).contains("verified telephone");
    chromium.forgive();
    shoot(page, "verify-nojs-1-refused");
    page.click("[role=alert] a.button");
    register(page);
    page.fill("[name=contact]", "12");
    page.click(".account .button.primary");
    assertThat(page.textContent("[role=alert]:visible")).contains("country");
    chromium.forgive();
    shoot(page, "verify-nojs-2-number");
    page.fill("[name=contact]", phone);
    page.click(".account .button.primary");
    String right = code(1);
    page.fill("[name=code]", right.equals("000000") ? "000001" : "000000");
    page.click(".account .button.primary");
    assertThat(page.textContent("[role=alert]:visible")).contains("code");
    chromium.forgive();
    shoot(page, "verify-nojs-3-wrong");
    // Another code within a minute; the first one stays good.
    page.click("form[action^='/account/verify/phone?'] button");
    assertThat(page.textContent("[role=alert]:visible")).contains("Try again in");
    chromium.forgive();
    shoot(page, "verify-nojs-4-too-many");
    page.fill("[name=code]", right);
    page.click(".account .button.primary");
    assertThat(page.url()).endsWith("/p/" + product);
    page.click("[action$='/join'] button");
    assertThat(page.locator("[action$='/leave']").count()).isEqualTo(1);
    shoot(page, "verify-nojs-5-place");
  }

  @Test
  void theWayBackLeadsToOurOwnPagesOnly() {
    for (String next : List.of("https://evil.example", "//evil.example", "/%5Cevil.example")) {
      assertThat(
              server
                  .callUntilAccepted("GET", "/account/verify?kind=phone&next=" + next, "")
                  .headers()
                  .firstValue("location"))
          .hasValue("/account?next=%2Faccount%2Fverify%3Fkind%3Dphone");
    }
  }
}
