package fairgate.redeem;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static fairgate.app.pages.Chromium.tabTo;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The claim page without JavaScript, by keyboard, on small and large screens, in every language.
class ClaimAccessIT {
  private static ClaimStage stage;

  @BeforeAll
  static void start() {
    stage = ClaimStage.open();
  }

  @AfterAll
  static void stop() {
    stage.close();
  }

  @AfterEach
  void close() {
    assertThat(stage.closePages()).as("errors in the browser").isEmpty();
  }

  @Test
  void theClaimPageFitsASmallPhoneInEveryLanguage() {
    for (String locale : List.of("zh-TW", "zh-CN", "en")) {
      String number = stage.order("paid");
      Page page = stage.phone(locale);
      page.navigate("/claim");
      page.fill("#order", "3.21106E+18");
      page.fill("#code", "MHYDET-222222-2223");
      shoot(page, "claim-360-" + locale + "-slip");
      page.fill("#order", "3211058044792479996");
      ClaimStage.send(page);
      page.waitForSelector("#problem");
      stage.forgive();
      shoot(page, "claim-360-" + locale + "-refused");
      page.fill("#order", number);
      ClaimStage.send(page);
      stage.see(page, "claimed");
      shoot(page, "claim-360-" + locale + "-code");
    }
  }

  @Test
  void theFormWorksWithoutJavaScript() {
    String number = stage.order("paid");
    Page page =
        stage.page(
            new Browser.NewContextOptions().setJavaScriptEnabled(false).setViewportSize(360, 740),
            "en");
    page.navigate("/claim");
    page.fill("#order", "Order number: 3211058044792479998");
    ClaimStage.send(page);
    assertThat(page.textContent("#problem")).contains("We do not know this order");
    shoot(page, "claim-nojs-refused");
    page.fill("#order", "Order number: " + number);
    ClaimStage.send(page);
    String code = page.textContent("#the-code");
    assertThat(code).startsWith("MHYDET-");
    assertThat(page.isVisible(".qr")).isTrue();
    shoot(page, "claim-nojs-code");
    page.reload();
    assertThat(page.textContent("#the-code")).isEqualTo(code);
    stage.forgive();
  }

  @Test
  void theClaimPageWorksByKeyboardAndWithScreenReaders() {
    String number = stage.order("paid");
    Page page = stage.page(new Browser.NewContextOptions().setBypassCSP(true), "en");
    page.navigate("/claim");
    assertThat(barriers(page)).as("empty").isEmpty();
    page.focus("#order");
    page.keyboard().insertText("x");
    assertThat(page.getAttribute("#found", "role")).isEqualTo("status");
    assertThat(barriers(page)).as("slip").isEmpty();
    page.fill("#order", "3211058044792479997");
    tabTo(page, "Get my code");
    page.keyboard().press("Enter");
    page.waitForSelector("#problem");
    stage.forgive();
    assertThat(page.evaluate("document.activeElement.id")).isEqualTo("problem");
    assertThat(barriers(page)).as("refused").isEmpty();
    page.fill("#order", number);
    page.focus("#order");
    tabTo(page, "Get my code");
    page.keyboard().press("Enter");
    stage.see(page, "claimed");
    assertThat(barriers(page)).as("code").isEmpty();
  }

  @Test
  void aFormOfAnotherSiteIsRefused() {
    assertThat(
            stage
                .shop()
                .server()
                .call(
                    "POST",
                    "/claim",
                    "order=" + stage.order("paid") + "&product=basic",
                    "Content-Type",
                    "application/x-www-form-urlencoded",
                    "Sec-Fetch-Site",
                    "cross-site")
                .statusCode())
        .isEqualTo(403);
  }

  @Test
  void desktopAndDarkLookRight() {
    String number = stage.order("paid");
    stage.shop().product("standard", 365);
    try {
      Page page =
          stage.page(
              new Browser.NewContextOptions()
                  .setViewportSize(1280, 900)
                  .setColorScheme(ColorScheme.DARK),
              "zh-CN");
      page.navigate("/claim");
      shoot(page, "claim-desktop-dark");
      page.selectOption("#product", "basic");
      page.fill("#order", number);
      ClaimStage.send(page);
      stage.see(page, "claimed");
      shoot(page, "claim-desktop-dark-code");
    } finally {
      stage.shop().sql("DELETE FROM redeem_products WHERE id = 'standard'");
    }
  }
}
