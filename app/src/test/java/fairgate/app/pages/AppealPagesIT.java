package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// An appeal in Chromium on a small telephone, without JavaScript. Screenshots:
/// `target/screenshots`.
class AppealPagesIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  @SuppressWarnings("NullAway.Init")
  private static Chromium chromium;

  @BeforeAll
  static void start() {
    server =
        TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of());
    server.createProduct("8650", 5, "{\"preset\":\"queue\"}");
    server.openSale("8650");
    chromium = new Chromium();
  }

  @AfterAll
  static void stop() {
    chromium.close();
    server.close();
  }

  @AfterEach
  void close() {
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }

  private static Page page(boolean script, String locale) {
    return chromium.page(phone(script), server.baseUrl(), locale);
  }

  private static Browser.NewContextOptions phone(boolean script) {
    return new Browser.NewContextOptions()
        .setViewportSize(360, 740)
        .setBypassCSP(true)
        .setJavaScriptEnabled(script);
  }

  private static void banThisMachine() {
    String ban =
        server.admin(
            "POST", "/bans", "{\"kind\":\"ip\",\"value\":\"127.0.0.1\",\"reason\":\"secret\"}");
    assertThat(ban).contains("127.0.0.1");
  }

  private static void seesTheBan(Page page) {
    Eventually.await("the ban is in force", () -> page.navigate("/p/8650").status() == 403);
  }

  private static long newest() {
    try {
      return JSON.readTree(server.admin("GET", "/appeals?limit=1", ""))
          .path("appeals")
          .path(0)
          .path("id")
          .asLong();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aBannedPersonAppealsWithoutJavaScriptAndReadsTheAnswer() {
    Page page = page(false, "en-GB");
    // The cookie of the browser, before the ban.
    page.navigate("/p/8650");
    banThisMachine();
    seesTheBan(page);
    shoot(page, "appeal-1-banned");
    assertThat(page.textContent("main")).doesNotContain("secret");
    page.click("a[href^='/appeal/']");
    page.waitForSelector("[name=text]");
    shoot(page, "appeal-2-form");
    assertThat(page.textContent("main")).contains("What would help").doesNotContain("secret");
    page.fill("[name=text]", "I share this network with my whole school.");
    page.fill("[name=contact]", "ann@example.org");
    page.click(".appeal .button.primary");
    page.waitForSelector("#receipt");
    shoot(page, "appeal-3-receipt");
    String receipt = page.textContent("#receipt").strip();
    assertThat(receipt).hasSize(12);
    String address = page.url();
    page.navigate(address);
    assertThat(page.textContent("main"))
        .contains("A person will decide about your appeal.", "Answer by")
        .doesNotContain(receipt);
    shoot(page, "appeal-4-open");

    // Another browser needs the receipt.
    Page other = page(false, "zh-TW");
    other.navigate(address);
    shoot(other, "appeal-5-others");
    assertThat(other.textContent("main")).doesNotContain("申訴編號");
    other.fill("[name=receipt]", receipt);
    other.click(".appeal .button.primary");
    other.waitForSelector("main:has-text('申訴編號')");
    assertThat(other.textContent("main")).contains("將由專人審查您的申訴");

    String decided =
        server.admin(
            "POST",
            "/appeals/" + newest(),
            "{\"decision\":\"lift\",\"reason\":\"a school\",\"answer\":\"You are welcome.\"}");
    assertThat(decided).contains("granted");
    page.navigate(address);
    shoot(page, "appeal-6-granted");
    assertThat(page.textContent("main"))
        .contains("Your appeal was granted.", "You are welcome.")
        .doesNotContain("a school");
    page.navigate("/p/8650/appeals");
    shoot(page, "appeal-7-table");
    assertThat(page.textContent("main")).contains("Appeals in this sale");
    chromium.forgive();
  }

  @Test
  void aSaleWithAChallengeOffersTheAppealWithoutJavaScript() {
    try (TestFairgate altcha =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("challenge.provider", "altcha"))) {
      altcha.createProduct("8651", 5, "{\"preset\":\"queue\"}");
      altcha.openSale("8651");
      for (String locale : List.of("en-GB", "zh-TW", "zh-CN")) {
        Page page = chromium.page(phone(false), altcha.baseUrl(), locale);
        page.navigate("/p/8651");
        shoot(page, "appeal-8-join-" + locale);
        page.click("form[action='/p/8651/join'] button");
        shoot(page, "appeal-9-refused-" + locale);
        page.click("a[href^='/appeal/']");
        page.waitForSelector("[name=text]");
      }
    }
    chromium.forgive();
  }

  @Test
  void theFormHasNoBarriersForAssistiveTechnology() {
    banThisMachine();
    Page page = page(true, "zh-CN");
    seesTheBan(page);
    page.click("a[href^='/appeal/']");
    assertThat(barriers(page)).isEmpty();
    page.fill("[name=text]", "我和全校同学共用这个网络，请解除封禁。");
    page.click(".appeal .button.primary");
    page.waitForSelector("#receipt");
    assertThat(barriers(page)).isEmpty();
    String lifted =
        server.admin(
            "POST", "/appeals/" + newest(), "{\"decision\":\"lift\",\"reason\":\"a school\"}");
    assertThat(lifted).contains("granted");
    chromium.forgive();
  }
}
