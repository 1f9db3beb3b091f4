package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// A product with content in a shop with its own name and color, in Chromium. Screenshots:
/// `target/screenshots`.
class ProductPageIT {
  private static final String CONTENT =
      """
      {"names": {"en": "Winter concert", "zh-Hant": "冬季演唱會", "zh-Hans": "冬季演唱会"},
       "descriptions": {
         "en": "## Program\\n\\nDoors open at **18:30**, the concert begins at 19:00.\\n\\n- No cameras\\n- Children from six years\\n\\nHow to [get there](https://arena.example/map).",
         "zh-Hant": "## 節目\\n\\n**18:30** 入場，19:00 開演。\\n\\n- 請勿攝影\\n- 六歲以上兒童可入場\\n\\n[交通方式](https://arena.example/map)",
         "zh-Hans": "## 节目\\n\\n**18:30** 入场，19:00 开演。\\n\\n- 请勿摄影\\n- 六岁以上儿童可入场\\n\\n[交通方式](https://arena.example/map)"},
       "venue": "Taipei Arena 台北小巨蛋", "starts_at": "2026-12-24T11:00:00Z",
       "seller": "Good Music Ltd. 好音樂有限公司",
       "terms_url": "https://shop.example/terms",
       "images": ["https://img.example/1.svg", "https://img.example/2.svg", "https://img.example/3.svg"]}
      """;
  private static final String PICTURE =
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 4 3'><path fill='#7a8' d='M0 0h4v3H0z'/></svg>";

  /// The page of a sale asks for the sale again after so many milliseconds at most.
  private static final int REFRESH_MS = 12_000;

  private static TestFairgate server;
  private static Chromium chromium;

  @BeforeAll
  static void start() {
    TestEngines.shared().flushRedis();
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "shop.name", "Good Music",
                "shop.color", "#ffb300",
                "shop.logo_url", "https://img.example/logo.svg",
                "shop.terms_url", "https://shop.example/terms",
                "shop.privacy_url", "https://shop.example/privacy",
                "shop.imprint_url", "https://shop.example/imprint",
                "contact", "help@shop.example"));
    server.createProduct("7", 5, "{\"preset\": \"queue\"}");
    String unused = server.admin("PUT", "/products/7/content", CONTENT);
    assertThat(unused).contains("Taipei Arena");
    server.openSale("7");
    chromium = new Chromium();
  }

  @AfterAll
  static void stop() {
    chromium.close();
    server.close();
  }

  private static Page open(String path, int width, ColorScheme scheme, String locale) {
    Page page = blank(width, scheme, locale);
    page.navigate(path);
    return page;
  }

  private static Page blank(int width, ColorScheme scheme, String locale) {
    Page page =
        chromium.page(
            new Browser.NewContextOptions()
                .setViewportSize(width, 800)
                .setColorScheme(scheme)
                .setBypassCSP(true),
            server.baseUrl(),
            locale);
    draw(page);
    return page;
  }

  /// Answers for the addresses of the pictures.
  private static void draw(Page page) {
    page.route(
        "https://img.example/**",
        route ->
            route.fulfill(
                new Route.FulfillOptions().setContentType("image/svg+xml").setBody(PICTURE)));
  }

  @Test
  void theProductIsReadableInThreeLanguagesAndBothModes() {
    Page page = blank(360, ColorScheme.LIGHT, "en");
    for (String locale : new String[] {"zh-TW", "zh-CN", "en"}) {
      Chromium.look(page, server, new Chromium.Look(locale, 360), ColorScheme.LIGHT);
      page.navigate("/p/7");
      Chromium.shoot(page, "product-phone-" + locale);
      assertThat(Chromium.barriers(page)).isEmpty();
      Chromium.look(page, server, new Chromium.Look(locale, 1200), ColorScheme.DARK);
      page.navigate("/p/7");
      Chromium.shoot(page, "product-desktop-dark-" + locale);
      assertThat(Chromium.barriers(page)).isEmpty();
    }
    Chromium.look(page, server, new Chromium.Look("en", 1200), ColorScheme.LIGHT);
    page.navigate("/p/7");
    Chromium.shoot(page, "product-desktop-en");
    assertThat(page.title()).contains("Winter concert");
    assertThat(page.locator("#about h2").textContent()).isEqualTo("Program");
    assertThat(page.locator("#about .gallery img").count()).isEqualTo(3);
    assertThat(page.locator(".brand").textContent()).contains("Good Music");
    assertThat(page.locator(".foot a").allTextContents())
        .containsExactly("help@shop.example", "Terms", "Privacy", "Imprint");
    assertThat(chromium.closePages()).isEmpty();
  }

  @Test
  void theListShowsTheShopAndTheNameInTheLanguage() {
    Page page = open("/", 360, ColorScheme.LIGHT, "en");
    Chromium.shoot(page, "shop-phone-en");
    assertThat(page.title()).endsWith("Good Music");
    assertThat(page.locator(".sale .name").allTextContents()).contains("Winter concert");
    assertThat(Chromium.barriers(page)).isEmpty();
    assertThat(chromium.closePages()).isEmpty();
  }

  @Test
  void stoppedJoinsAreShownInPlaceOfTheButtonAndItReturnsByItself() {
    server.createProduct("8", 5, "{\"preset\": \"queue\"}");
    server.openSale("8");
    Page visitor = blank(360, ColorScheme.LIGHT, "en");
    visitor.clock().install();
    visitor.navigate("/p/8");
    visitor.waitForSelector("#panel .button.primary:not([hidden])");
    joins("stopped");
    Chromium.passUntil(visitor, REFRESH_MS, "#panel h2:has-text('Nobody new can join right now')");
    assertThat(visitor.isVisible("#panel .button")).isFalse();
    Map<String, String> titles =
        Map.of("en", "Nobody new can join right now", "zh-TW", "目前不開放加入排隊", "zh-CN", "目前不开放加入排队");
    for (Map.Entry<String, String> each : titles.entrySet()) {
      Page page = open("/p/8", 360, ColorScheme.LIGHT, each.getKey());
      page.waitForSelector("#panel h2:has-text('" + each.getValue() + "')");
      assertThat(page.isVisible("#panel .button")).isFalse();
      assertThat(Chromium.barriers(page)).isEmpty();
      Chromium.shoot(page, "joins-stopped-" + each.getKey());
      Page plain =
          chromium.page(
              new Browser.NewContextOptions().setViewportSize(360, 800).setJavaScriptEnabled(false),
              server.baseUrl(),
              each.getKey());
      draw(plain);
      plain.navigate("/p/8");
      assertThat(plain.textContent(".gate")).contains(each.getValue());
      assertThat(plain.locator(".gate button").count()).isZero();
      Chromium.shoot(plain, "joins-stopped-plain-" + each.getKey());
    }
    joins("open");
    Chromium.passUntil(visitor, REFRESH_MS, "#panel .button.primary:not([hidden])");
    assertThat(chromium.closePages()).isEmpty();
  }

  @Test
  void aVisitorWhoComesTooLateSeesThatJoinsWereStopped() {
    server.createProduct("9", 5, "{\"preset\": \"queue\"}");
    server.openSale("9");
    Page page = open("/p/9", 360, ColorScheme.LIGHT, "en");
    // The page does not hear of it before the visitor joins.
    AtomicBoolean late = new AtomicBoolean();
    page.route(
        "**/api/products/9",
        route -> {
          if (late.get()) {
            route.resume();
          } else {
            route.abort();
          }
        });
    page.route(
        "**/api/queue/join",
        route -> {
          late.set(true);
          route.resume();
        });
    page.waitForSelector("#panel .button.primary:not([hidden])");
    String unused = server.admin("PATCH", "/products/9", "{\"policy\": {\"joins\": \"stopped\"}}");
    assertThat(unused).contains("stopped");
    page.click("#panel .button.primary");
    page.waitForSelector("#problem:has-text('Nobody new can join this line')");
    page.waitForSelector("#panel h2:has-text('Nobody new can join right now')");
    assertThat(page.isVisible("#panel .button")).isFalse();
    chromium.forgive();
    assertThat(chromium.closePages()).isEmpty();
  }

  @Test
  void aPurchaseNamesThePriceThatThePageShows() {
    Page page = ready("12");
    Request purchase =
        page.waitForRequest("**/api/purchase", () -> page.click("#panel .button.big"));
    assertThat(purchase.postData()).contains("\"expected_amount\":100");
    page.waitForSelector("body[data-stage=paid]");
    assertThat(chromium.closePages()).isEmpty();
  }

  @Test
  void aPauseKeepsTheTurnAndSaysSoWithAndWithoutJavaScript() {
    Page page = ready("10");
    pause("10");
    page.waitForSelector(
        "#panel .note.warn:not([hidden]):has-text('Back at'):has-text('Your turn and the rest')");
    assertThat(page.textContent("#panel .note.warn:not([hidden])")).startsWith("Back at 20:00. ");
    assertThat(page.textContent("#panel .button.big")).isEqualTo("Paused");
    assertThat(page.isEnabled("#panel .button.big")).isFalse();
    assertThat(Chromium.barriers(page)).isEmpty();
    Chromium.shoot(page, "paused-turn-en");
    assertThat(server.admin("POST", "/products/10/resume", "")).contains("open");
    page.click("#panel .button.big:not([disabled])");
    page.waitForSelector("body[data-stage=paid]");

    server.createProduct("11", 5, "{\"preset\": \"queue\"}");
    server.openSale("11");
    Page plain =
        chromium.page(
            new Browser.NewContextOptions().setViewportSize(360, 800).setJavaScriptEnabled(false),
            server.baseUrl(),
            "en");
    draw(plain);
    plain.navigate("/p/11");
    plain.click("form[action='/p/11/join'] button");
    Eventually.await(
        "the turn has come",
        () -> {
          plain.navigate("/p/11");
          return plain.isVisible("form[action='/p/11/buy']");
        });
    pause("11");
    Eventually.await(
        "the page shows the pause",
        () -> {
          plain.navigate("/p/11");
          return plain
              .textContent(".gate")
              .contains("Back at 20:00. The sale is paused. Your turn");
        });
    assertThat(plain.locator("form[action='/p/11/buy']").count()).isZero();
    Chromium.shoot(plain, "paused-turn-plain-en");
    assertThat(chromium.closePages()).isEmpty();
  }

  /// The page of a new sale, whose visitor has joined and may buy.
  private static Page ready(String id) {
    server.createProduct(id, 5, "{\"preset\": \"queue\"}");
    server.openSale(id);
    Page page = open("/p/" + id, 360, ColorScheme.LIGHT, "en");
    Chromium.join(page);
    page.waitForSelector("body[data-stage=ready]");
    return page;
  }

  private static void pause(String id) {
    String texts = "{\"texts\": {\"en\": \"Back at 20:00.\"}}";
    assertThat(server.admin("PUT", "/products/" + id + "/notice", texts))
        .contains("Back at 20:00.");
    assertThat(server.admin("POST", "/products/" + id + "/pause", "")).contains("paused");
  }

  private static void joins(String word) {
    assertThat(server.admin("PATCH", "/products/8", "{\"policy\": {\"joins\": \"" + word + "\"}}"))
        .contains("\"joins\":\"" + word + "\"");
  }
}
