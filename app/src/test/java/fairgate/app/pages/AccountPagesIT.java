package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.options.ColorScheme;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Accounts in Chromium, with and without JavaScript. Screenshots: `target/screenshots`.
class AccountPagesIT {
  private static final String PASSWORD = "correct horse 9";

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  @SuppressWarnings("NullAway.Init")
  private static Chromium chromium;

  private String name = newName();

  @BeforeAll
  static void start() {
    server =
        TestFairgate.start(
            TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of("limits", "off"));
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

  private static Browser.NewContextOptions phone() {
    return new Browser.NewContextOptions().setViewportSize(390, 844).setBypassCSP(true);
  }

  private static Page page(String locale) {
    return chromium.page(phone(), server.baseUrl(), locale);
  }

  private static String newName() {
    return "小明" + UUID.randomUUID().toString().substring(0, 8);
  }

  /// Sends the form, and again while the server is too busy to answer it.
  private void send(Page page, String password) {
    Eventually.await(
        "the server is not too busy for the form",
        () -> {
          page.fill("[name=username]", name);
          page.fill("[name=password]", password);
          Response response =
              page.waitForResponse(
                  sent -> sent.request().method().equals("POST"),
                  () -> page.click(".account .button.primary"));
          if (response.status() != Chromium.BUSY) {
            return true;
          }
          if (page.url().contains("/account/register")) {
            // Whether the name was registered is unknown.
            name = newName();
          }
          chromium.forgive();
          page.goBack();
          return false;
        });
  }

  private static void isAt(Page page, String title) {
    page.waitForSelector("h1:text-is('" + title + "')");
  }

  private Page registered(String locale) {
    Page page = page(locale);
    page.navigate("/account/register");
    send(page, PASSWORD);
    isAt(page, name);
    return page;
  }

  @Test
  void aVisitorRegistersListsSessionsAndSignsOut() {
    Page page = page("zh-TW");
    page.navigate("/");
    page.click(".to-account");
    isAt(page, "登入");
    shoot(page, "account-1-login");
    assertThat(barriers(page)).isEmpty();
    page.click(".account .center a");
    shoot(page, "account-2-register");
    send(page, PASSWORD);
    isAt(page, name);
    assertThat(page.locator(".signed-in li").count()).isEqualTo(1);
    assertThat(barriers(page)).isEmpty();
    page.click("[action='/account/logout'] button");
    isAt(page, "登入");
  }

  @Test
  void anotherDeviceCanBeSignedOut() {
    Page here = registered("en");
    Page there = page("en");
    there.navigate("/account");
    send(there, PASSWORD);
    isAt(there, name);
    here.reload();
    assertThat(here.locator(".signed-in li").count()).isEqualTo(2);
    shoot(here, "account-3-sessions");
    here.click("[action='/account/revoke'] button:visible");
    here.waitForCondition(() -> here.locator(".signed-in li").count() == 1);
    there.reload();
    isAt(there, "Sign in");
  }

  @Test
  void errorsAreShown() {
    Page page = page("en");
    page.navigate("/account/register");
    send(page, "password1");
    page.waitForSelector("[role=alert]:has-text('guessed first')");
    assertThat(page.inputValue("[name=username]")).isEqualTo(name);
    shoot(page, "account-4-refused");
    page.navigate("/account");
    send(page, PASSWORD);
    page.waitForSelector("[role=alert]:has-text('wrong')");
    chromium.forgive();
  }

  @Test
  void theAccountPagesWorkWithoutJavaScriptAndInDarkMode() {
    Page page =
        chromium.page(
            phone().setJavaScriptEnabled(false).setColorScheme(ColorScheme.DARK),
            server.baseUrl(),
            "zh-CN");
    page.navigate("/account/register");
    send(page, PASSWORD);
    isAt(page, name);
    shoot(page, "account-5-dark");
  }
}
