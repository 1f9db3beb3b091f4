package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.WaitForSelectorState;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// An operator lists and lifts an automatic ban, in Chromium.
class ConsolePageIT {
  private static final String CLAIM =
      """
      {"order_id": "1234567890123456789", "product_id": "7", "device_id": "web_abc123xyz456"}
      """;

  private final Chromium chromium = new Chromium();

  @AfterEach
  void close() {
    chromium.close();
  }

  /// An empty list has no height, and so is not visible.
  private static Page.WaitForSelectorOptions attached() {
    return new Page.WaitForSelectorOptions().setState(WaitForSelectorState.ATTACHED);
  }

  private Page enter(TestFairgate server) {
    Page page =
        chromium.page(
            new Browser.NewContextOptions().setViewportSize(390, 800).setBypassCSP(true),
            server.baseUrl(),
            "zh-TW");
    page.navigate("/console");
    page.fill("[name=token]", TestFairgate.OPERATOR);
    page.click("#enter .button.primary");
    page.waitForSelector("#claim-bans li");
    assertThat(page.textContent("#claim-bans")).contains("web_abc123xyz456");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-1-bans");
    return page;
  }

  /// Claims an unknown order.
  private static HttpResponse<String> claim(TestFairgate server, int order) {
    return server.call(
        "POST",
        "/api/redeem/claim",
        CLAIM.replace("1234567890123456789", "123456789012345678" + order));
  }

  @Test
  void aBanIsListedAndLifted() {
    TestEngines engines = TestEngines.shared();
    engines.flushRedis();
    try (TestFairgate server =
        TestFairgate.start(
            engines,
            engines.freshDatabase(),
            Map.of(
                "limits", "on",
                "limit.ip", "off",
                "limit.page", "off",
                "limit.admin", "off",
                "redeem.ban_after_misses", "2"))) {
      server.createProduct("7", 5, "{\"preset\":\"queue\"}");
      for (int i = 0; i < 2; i++) {
        assertThat(claim(server, i).body()).contains("ORDER_NOT_FOUND");
      }
      assertThat(claim(server, 2).statusCode()).isEqualTo(403);
      Eventually.await(
          "the ban is listed",
          () -> server.admin("GET", "/redeem/bans", "").contains("web_abc123xyz456"));
      Page page = enter(server);
      page.click("#claim-bans li:first-child .button.danger");
      page.click("dialog .button.danger");
      page.waitForSelector("#claim-bans:not(:has(li))", attached());
      assertThat(page.isVisible("#no-claims")).isTrue();
      assertThat(claim(server, 3).body()).contains("ORDER_NOT_FOUND");
      shoot(page, "console-2-lifted");
      assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
    }
  }

  @Test
  void aWrongTokenIsReportedAndDropped() {
    TestEngines engines = TestEngines.shared();
    try (TestFairgate server = TestFairgate.start(engines, engines.freshDatabase(), Map.of())) {
      Page page = chromium.page(new Browser.NewContextOptions(), server.baseUrl(), "en");
      page.navigate("/console");
      page.fill("[name=token]", "not the token");
      page.click("#enter .button.primary");
      page.waitForSelector("#problem:not([hidden])");
      assertThat(page.isVisible("#inside")).isFalse();
      assertThat(page.evaluate("sessionStorage.length")).isEqualTo(0);
    }
  }
}
