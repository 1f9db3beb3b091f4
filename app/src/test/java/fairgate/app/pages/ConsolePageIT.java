package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.WaitForSelectorState;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.kernel.Role;
import fairgate.operator.access.TestOperator;
import fairgate.operator.access.Totp;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// An operator lists and lifts an automatic ban, in Chromium.
class ConsolePageIT {
  private static final String CLAIM =
      """
      {"order_id": "1234567890123456789", "product_id": "7", "device_id": "web_abc123xyz456"}
      """;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final Chromium chromium = new Chromium();

  @BeforeAll
  static void start() {
    TestEngines.shared().flushRedis();
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "limits", "on",
                "limit.ip", "off",
                "limit.page", "off",
                "limit.admin", "off",
                "limit.login", "off",
                "redeem.ban_after_misses", "2"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void close() {
    chromium.close();
  }

  /// An empty list has no height, and so is not visible.
  private static Page.WaitForSelectorOptions attached() {
    return new Page.WaitForSelectorOptions().setState(WaitForSelectorState.ATTACHED);
  }

  private Page enter() {
    Page page =
        chromium.page(
            new Browser.NewContextOptions().setViewportSize(390, 800).setBypassCSP(true),
            server.baseUrl(),
            "zh-TW");
    enrol(page, server.firstOwnerLink().orElseThrow());
    page.click(".button.primary");
    page.waitForSelector(".console-page");
    Chromium.shortcut(page, "gb", "/console/blocks");
    page.waitForSelector("#claim-bans li");
    assertThat(page.textContent("#claim-bans")).contains("web_abc123xyz456");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-1-bans");
    return page;
  }

  /// Claims an unknown order.
  private static HttpResponse<String> claim(int order) {
    return server.callUntilAccepted(
        "POST",
        "/api/redeem/claim",
        CLAIM.replace("1234567890123456789", "123456789012345678" + order));
  }

  @Test
  void aBanIsListedAndLifted() {
    server.createProduct("7", 5, "{\"preset\":\"queue\"}");
    for (int i = 0; i < 2; i++) {
      assertThat(claim(i).body()).contains("ORDER_NOT_FOUND");
    }
    assertThat(claim(2).statusCode()).isEqualTo(403);
    Eventually.await(
        "the ban is listed",
        () -> server.admin("GET", "/redeem/bans", "").contains("web_abc123xyz456"));
    Page page = enter();
    page.click("#claim-bans li:first-child .button");
    page.click("dialog .button.primary");
    page.waitForSelector("#claim-bans:not(:has(li))", attached());
    assertThat(page.isVisible("#no-claims")).isTrue();
    assertThat(claim(3).body()).contains("ORDER_NOT_FOUND");
    shoot(page, "console-2-lifted");
    findByCaseNumber(page);
    seesOutlinesWhileAPageLoads(page);
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }

  /// A page whose data is late has outlines instead, then what an empty list is for.
  private static void seesOutlinesWhileAPageLoads(Page page) {
    List<Route> late = new ArrayList<>();
    page.route("**/api/admin/appeals*", late::add);
    page.navigate("/console/appeals");
    page.waitForSelector(".skeleton span");
    assertThat(page.isVisible("main h1")).isFalse();
    page.waitForCondition(() -> !late.isEmpty());
    page.unroute("**/api/admin/appeals*");
    late.forEach(Route::resume);
    page.waitForSelector("main h1");
    assertThat(page.isVisible(".skeleton")).isFalse();
    assertThat(page.textContent("main .nothing")).contains("被拒絕的訪客");
  }

  /// A block is found by its number, as a visitor reads it out, also when it has ended.
  private static void findByCaseNumber(Page page) {
    String id = blocked("203.0.113.9");
    String other = blocked("203.0.113.10");
    String _ = server.admin("DELETE", "/bans/" + id, "");
    for (String typed : List.of(" b-" + id, "B " + id, id)) {
      page.fill("[name=case]", typed);
      page.keyboard().press("Enter");
      page.waitForSelector("#gate-bans li:has-text('B-" + id + "'):has-text('203.0.113.9')");
      assertThat(page.locator("#gate-bans li").count()).as(typed).isEqualTo(1);
      page.navigate("/console/blocks");
      page.waitForSelector("#gate-bans li:has-text('B-" + other + "')");
    }
    page.fill("[name=case]", "B-" + other + "0");
    page.keyboard().press("Enter");
    page.waitForSelector("[role=alert]:has-text('B-" + other + "0')");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-3-case-number");
  }

  /// Blocks an address; returns the number of the block.
  private static String blocked(String address) {
    String ban = "{\"effect\":\"ban\",\"kind\":\"ip\",\"value\":\"%s\",\"reason\":\"bot\"}";
    String answer = server.admin("POST", "/bans", ban.formatted(address));
    assertThat(answer).contains("\"id\":");
    return answer.replaceFirst("(?s).*?\"id\":\"?([0-9]+).*", "$1");
  }

  /// Fills a form and sends it, and again while the server is too busy for it.
  private static void send(Page page, Runnable fill) {
    String address = page.url();
    Eventually.await(
        "the server is not too busy for the form",
        () -> {
          fill.run();
          Response response =
              page.waitForResponse(
                  sent -> sent.request().method().equals("POST"),
                  () -> page.click(".button.primary"));
          if (response.status() == Chromium.BUSY) {
            page.navigate(address);
            return false;
          }
          return true;
        });
  }

  private static void fillWelcome(Page page) {
    byte[] secret = TestOperator.decode(page.textContent("#key"));
    page.fill("[name=code]", Totp.code(secret, Instant.now()));
    page.fill("[name=password]", TestOperator.PASSWORD);
  }

  private static void fillSignIn(Page page, String name, String password, String code) {
    page.fill("[name=name]", name);
    page.fill("[name=password]", password);
    page.fill("[name=code]", code);
  }

  /// Opens the one-time link and completes its form; the page then shows the recovery codes.
  private static void enrol(Page page, String link) {
    page.navigate(link);
    assertThat(page.getAttribute("a[href^='otpauth:']", "href"))
        .contains("secret=" + page.textContent("#key"));
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-0-welcome");
    send(page, () -> fillWelcome(page));
    page.waitForSelector(".recovery-codes");
    assertThat(barriers(page)).isEmpty();
    keepRecoveryCodes(page);
    shoot(page, "console-0-recovery-codes");
  }

  private static void keepRecoveryCodes(Page page) {
    // Another language would be asked for by the link, which has ended.
    assertThat(page.isVisible(".langs")).isFalse();
    List<String> codes = page.locator(".recovery-codes code").allTextContents();
    Download file = page.waitForDownload(() -> page.click("#save-codes"));
    assertThat(file.suggestedFilename()).startsWith("recovery-codes-").endsWith(".txt");
    try {
      assertThat(Files.readAllLines(file.path())).isEqualTo(codes).hasSizeGreaterThan(5);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    page.context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
    page.click("#copy-codes:has-text('複製')");
    page.waitForSelector("#copy-codes:has-text('已複製')");
    assertThat(page.evaluate("() => navigator.clipboard.readText()"))
        .isEqualTo(String.join("\n", codes) + "\n");
    page.evaluate("() => { window.print = () => { window.printed = true; }; }");
    page.click("#print-codes");
    assertThat(page.evaluate("() => window.printed")).isEqualTo(true);
  }

  @Test
  void anOperatorSignsInOnATelephoneWithoutJavaScript() {
    for (String locale : List.of("zh-TW", "zh-CN", "en")) {
      Page page =
          chromium.page(
              new Browser.NewContextOptions().setViewportSize(360, 740).setJavaScriptEnabled(false),
              server.baseUrl(),
              locale);
      String added =
          server.admin(
              "POST", "/operators", "{\"name\":\"op-%s\",\"role\":\"viewer\"}".formatted(locale));
      page.navigate(added.replaceFirst("(?s).*\"link\":\"([^\"]+)\".*", "$1"));
      send(page, () -> fillWelcome(page));
      String recovery = page.textContent(".recovery-codes li:first-child");
      page.click(".button.primary");
      String operator = page.textContent("#operator");
      page.click("#leave");
      page.waitForURL("**/console/sign-in");
      String name = operator.substring(0, operator.indexOf(" ·"));
      send(page, () -> fillSignIn(page, name, "not the password 3", recovery));
      page.waitForSelector("[role=alert]");
      shoot(page, "console-sign-in-" + locale);
      send(page, () -> fillSignIn(page, name, TestOperator.PASSWORD, recovery));
      page.waitForURL("**/console");
      assertThat(page.textContent("#operator")).isEqualTo(operator);
    }
  }

  @Test
  void aViewerSeesOnlyTheOwnSessionsAndEndsThem() {
    TestOperator viewer = TestOperator.add(server, "viewer", Role.VIEWER);
    Page page =
        chromium.page(new Browser.NewContextOptions().setBypassCSP(true), server.baseUrl(), "en");
    Chromium.signIn(page, server, viewer);
    viewer.signInAgain();
    page.navigate("/console/blocks");
    page.waitForSelector(".empty h1");
    assertThat(page.locator("[data-section=blocks]").count()).isZero();
    page.click("[data-section=me]");
    page.waitForSelector("#own-sessions li:nth-child(2)");
    assertThat(barriers(page)).isEmpty();
    page.click("#own-sessions .button.danger");
    page.click("dialog .button.danger");
    page.waitForSelector("#own-sessions:not(:has(li:nth-child(2)))");
    assertThat(viewer.call("GET", "/me", "").statusCode()).isEqualTo(401);
  }
}
