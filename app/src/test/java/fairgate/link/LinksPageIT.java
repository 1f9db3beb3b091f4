package fairgate.link;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.FilePayload;
import com.microsoft.playwright.options.WaitUntilState;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.app.pages.Chromium;
import fairgate.operator.access.TestOperator;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Somebody makes and manages links in Chromium. Screenshots: `target/screenshots`.
class LinksPageIT {
  private static TestFairgate server;
  private static Chromium chromium;

  @BeforeAll
  static void start() {
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "limits",
                "off",
                "links.guests",
                "challenge",
                "links.click_interval_ms",
                "100",
                "links.time_zone",
                "Asia/Taipei"));
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

  private static Page page(int width, ColorScheme scheme, String locale) {
    return chromium.page(
        new Browser.NewContextOptions()
            .setViewportSize(width, 800)
            .setBypassCSP(true)
            .setColorScheme(scheme),
        server.baseUrl(),
        locale);
  }

  private static String make(Page page, String url) {
    page.fill("input[name=url]", url);
    Eventually.await(
        "the server is not too busy for a link",
        () -> {
          page.click("#make > button");
          page.waitForSelector("#make > button:not([disabled])");
          return page.isHidden("#problem");
        });
    page.waitForSelector("#list li:first-child .detail:not([hidden])");
    return page.getAttribute("#list li:first-child", "data-code");
  }

  /// Registers, or signs in, by the form, and again while the server is too busy.
  private static void signIn(Page page, String name, boolean isNew) {
    String _ =
        Eventually.get(
            "the account's page",
            () -> {
              page.navigate(isNew ? "/account/register" : "/account");
              page.fill("[name=username]", name);
              page.fill("[name=password]", "correct horse 9");
              page.click(".account .button.primary");
              String heading = page.textContent("h1");
              if (!heading.equals(name)) {
                // The browser reports the refusal as an error.
                chromium.forgive();
              }
              return heading;
            },
            name::equals);
  }

  /// Saves the open form, and again while the server is too busy. Returns the status of the reply.
  private static int change(Page page, Runnable save) {
    return Eventually.get(
        "the server is not too busy for the change",
        () -> {
          page.waitForSelector("#list .retarget .button.primary:not([disabled])");
          return page.waitForResponse(response -> response.request().method().equals("PATCH"), save)
              .status();
        },
        status -> status != Chromium.BUSY);
  }

  private static void click(String code, String agent) {
    HttpResponse<String> answer =
        server.callUntilAccepted("GET", "/" + code, "", "User-Agent", agent);
    assertThat(answer.statusCode()).isEqualTo(302);
  }

  @Test
  void aLinkIsMadeFollowedSeenInTheChartAndDisabled() {
    Page page = page(1100, ColorScheme.LIGHT, "en");
    page.navigate("/links");
    page.waitForSelector("#none:not([hidden])");
    String code = make(page, "https://example.com/tickets?from=poster");
    assertThat(page.textContent("#list figcaption")).isEqualTo("Clicks a day, last 30 days");
    for (int i = 0; i < 6; i++) {
      click(code, "Mozilla/5.0 (Visitor " + i % 4 + ")");
    }
    click(code, "Googlebot/2.1");
    page.waitForCondition(
        () -> {
          page.reload();
          page.waitForSelector("#list li");
          page.click("#list .line");
          page.waitForSelector("#list .detail:not([hidden])");
          // Who it was may be written after the click.
          String facts = page.textContent("#list .facts");
          return facts.contains("Clicks6")
              && facts.contains("Visitors4")
              && facts.contains("Bots1");
        });
    Object bars =
        page.evaluate(
            "[...document.querySelectorAll('.chart .people')].filter(b => b.height.baseVal.value >"
                + " 0).length");
    assertThat(bars).isEqualTo(1);
    assertThat(page.textContent("#list figcaption"))
        .isEqualTo("Clicks a day, last 30 days (Asia/Taipei)");
    page.waitForFunction("document.querySelector('img.qr')?.naturalWidth > 0");
    shoot(page, "links-1-chart");
    assertThat(barriers(page)).isEmpty();
    page.click("#list .button.danger");
    page.click("dialog .button.danger");
    page.waitForSelector("#list .badge:text-is('Disabled')");
    assertThat(server.callUntilAccepted("GET", "/" + code, "").statusCode()).isEqualTo(410);
    shoot(page, "links-2-disabled");
  }

  @Test
  void aLinksAddressIsChangedOnThePage() {
    Page page = page(360, ColorScheme.LIGHT, "zh-TW");
    page.navigate("/links");
    String code = make(page, "https://example.com/old");
    page.click("#list .edit");
    assertThat(page.inputValue("input[name=target]")).isEqualTo("https://example.com/old");
    page.fill("input[name=target]", "ftp://example.com");
    assertThat(change(page, () -> page.click("#list .button.primary"))).isEqualTo(400);
    page.waitForCondition(
        () -> page.textContent("#list .retarget [role=alert]").startsWith("長網址 "));
    assertThat(page.isVisible("#list .retarget [role=alert]")).isTrue();
    assertThat(page.getAttribute("input[name=target]", "aria-invalid")).isEqualTo("true");
    shoot(page, "links-9-change");
    assertThat(barriers(page)).isEmpty();
    page.fill("input[name=target]", "https://example.com/new?from=poster");
    assertThat(change(page, () -> page.keyboard().press("Enter"))).isEqualTo(200);
    page.waitForSelector("#list .target:text-is('https://example.com/new?from=poster')");
    page.waitForSelector("#list .edit:focus");
    HttpResponse<String> answer = server.callUntilAccepted("GET", "/" + code, "");
    assertThat(answer.headers().firstValue("location"))
        .hasValue("https://example.com/new?from=poster");
    page.click("#list .edit");
    page.click("#list .retarget .button.quiet");
    assertThat(page.isVisible("#list .facts")).isTrue();
    shoot(page, "links-10-changed");
    chromium.forgive();
  }

  @Test
  void anAccountsLinksAreOnAllItsDevices() {
    String name = "小明" + UUID.randomUUID().toString().substring(0, 8);
    Page laptop = page(1100, ColorScheme.LIGHT, "zh-TW");
    signIn(laptop, name, true);
    laptop.click("a[href='/links']");
    assertThat(laptop.textContent(".whose")).contains(name);
    String code = make(laptop, "https://example.com/演唱會?from=poster");
    shoot(laptop, "links-6-signed-in");
    Page phone = page(360, ColorScheme.LIGHT, "zh-TW");
    phone.navigate("/links");
    phone.waitForSelector("#none:not([hidden])");
    assertThat(phone.isVisible(".whose a")).isTrue();
    assertThat(phone.isVisible("label:has(#file)")).isFalse();
    signIn(phone, name, false);
    phone.navigate("/links");
    phone.waitForSelector("#list li[data-code='" + code + "']");
    for (int i = 0; i < 3; i++) {
      click(code, "Mozilla/5.0 (Visitor " + i + ")");
    }
    phone.waitForCondition(
        () -> {
          phone.reload();
          phone.waitForSelector("#list li");
          return phone.textContent("#list .clicks").startsWith("3 ");
        });
    phone.click("#list .line");
    phone.waitForSelector("#list .detail:not([hidden]) .chart svg");
    shoot(phone, "links-7-other-device");
    assertThat(barriers(phone)).isEmpty();
    phone.click("#list .button.danger");
    phone.click("dialog .button.danger");
    phone.waitForSelector("#list .line[aria-expanded=false]");
    laptop.reload();
    laptop.waitForSelector("#list .badge:not(.open)");
  }

  @Test
  void whatIsWrongIsSaidWhereItIsWrong() {
    Page page = page(360, ColorScheme.LIGHT, "zh-TW");
    page.navigate("/links");
    page.fill("input[name=url]", "https://example.com/");
    page.click("details summary");
    page.fill("input[name=code]", "a!");
    page.click("#make > button");
    page.waitForSelector("#problem:not([hidden])");
    assertThat(page.getAttribute("input[name=code]", "aria-invalid")).isEqualTo("true");
    assertThat(page.textContent("#problem")).contains("3");
    shoot(page, "links-3-problem");
    chromium.forgive();
  }

  @Test
  void aTelephoneInTheDarkManagesAFileOfLinks() {
    Page page = page(360, ColorScheme.DARK, "zh-CN");
    signIn(page, "u" + UUID.randomUUID().toString().substring(0, 12), true);
    page.navigate("/links");
    page.setInputFiles(
        "#file",
        new FilePayload(
            "links.csv",
            "text/csv",
            "url\nhttps://example.com/a\nftp://no\nhttps://example.com/b\n"
                .getBytes(StandardCharsets.UTF_8)));
    page.waitForSelector("#report:not([hidden])");
    assertThat(page.textContent("#report")).contains("2").contains("1").contains("3");
    page.waitForSelector("#list li:nth-child(2)");
    page.click("#list li:first-child .line");
    page.waitForSelector("#list .detail:not([hidden])");
    shoot(page, "links-4-dark");
    assertThat(barriers(page)).isEmpty();
  }

  @Test
  void aPreviewShowsTheRealName() {
    Page page = page(360, ColorScheme.LIGHT, "en");
    page.navigate("/links");
    String code = make(page, "https://аpple.com/login");
    page.navigate("/" + code + "+");
    assertThat(page.textContent("main strong")).isEqualTo("xn--pple-43d.com");
    shoot(page, "links-5-preview");
    assertThat(barriers(page)).isEmpty();
    page.navigate("/links?lang=zh-Hans");
    page.navigate("/" + code + "+");
    assertThat(page.getAttribute("html", "lang")).isEqualTo("zh-Hans");
    page.navigate("/" + code + "+?lang=zh-Hant");
    assertThat(page.getAttribute("html", "lang")).isEqualTo("zh-Hant");
    page.navigate("/links?lang=en");
    page.navigate("/nowhere-at-all");
    assertThat(page.textContent("h1")).isEqualTo("There is no such page");
    shoot(page, "links-8-nowhere");
    chromium.forgive();
  }

  @Test
  void aGuestIsSentToTheSignInWhereLinksNeedAnAccount() {
    try (TestFairgate closed =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("limits", "off", "links.guests", "off"))) {
      Page page = chromium.page(closed, "en", 360, ColorScheme.LIGHT);
      List<String> scripts = new ArrayList<>();
      page.onRequest(
          request -> {
            if (request.resourceType().equals("script")) {
              scripts.add(request.url());
            }
          });
      page.navigate("/links");
      assertThat(page.textContent(".whose"))
          .startsWith("You need an account to shorten links here.");
      assertThat(page.getAttribute(".whose a", "href")).isEqualTo("/account");
      assertThat(page.isVisible(".whose a")).isTrue();
      assertThat(page.querySelectorAll("main form, main ul, main a[download]")).isEmpty();
      assertThat(scripts).isEmpty();
      shoot(page, "links-11-account-needed");
      assertThat(barriers(page)).isEmpty();
    }
  }

  @Test
  void copiedIsSaidOnlyOfWhatWasCopied() {
    Page page = page(360, ColorScheme.LIGHT, "en");
    page.navigate("/links");
    String code = make(page, "https://example.com/");
    for (String clipboard : List.of("undefined", "{writeText: () => Promise.reject(Error())}")) {
      clipboard(page, clipboard);
      page.click("#list button:text-is('Copy')");
      page.waitForSelector(".copied:has-text('It could not be copied.')");
      assertThat(page.evaluate("getSelection().toString()").toString())
          .isEqualTo(server.baseUrl() + "/" + code);
      shoot(page, "links-12-by-hand");
    }
    clipboard(page, "{writeText: async (text) => { window.copied = text; }}");
    page.click("#list button:text-is('Copy')");
    page.waitForSelector(".copied:text-is('Copied.')");
    assertThat(page.evaluate("window.copied").toString()).endsWith("/" + code);
  }

  private static void clipboard(Page page, String value) {
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', {configurable: true, value: "
            + value
            + "})");
  }

  @Test
  void theFormSendsNothingBeforeItsModuleIsReady() {
    Page page = page(360, ColorScheme.LIGHT, "en");
    List<Route> held = new ArrayList<>();
    page.route("**/links.js", held::add);
    page.navigate("/links", new Page.NavigateOptions().setWaitUntil(WaitUntilState.COMMIT));
    page.fill("input[name=url]", "https://example.com/early");
    assertThat(page.isDisabled("#make > button")).isTrue();
    page.press("input[name=url]", "Enter");
    page.waitForCondition(() -> !held.isEmpty());
    held.forEach(Route::resume);
    page.waitForSelector("#make > button:not([disabled])");
    assertThat(page.url()).endsWith("/links");
    assertThat(page.inputValue("input[name=url]")).isEqualTo("https://example.com/early");
  }

  @Test
  void withoutJavaScriptTheNoticeStandsAlone() {
    Page page =
        chromium.page(
            new Browser.NewContextOptions().setViewportSize(360, 800).setJavaScriptEnabled(false),
            server.baseUrl(),
            "en");
    page.navigate("/links");
    assertThat(page.textContent("noscript")).contains("Shortening needs JavaScript.");
    assertThat(page.isVisible("#make")).isFalse();
    assertThat(page.isVisible("#own")).isFalse();
  }

  @Test
  void mistakesAreFoundBeforeTheChallenge() {
    Page page = page(360, ColorScheme.LIGHT, "en");
    List<String> calls = new ArrayList<>();
    page.onRequest(
        request -> {
          if (request.url().contains("/api/challenge") || request.method().equals("POST")) {
            calls.add(request.url());
          }
        });
    page.navigate("/links");
    Map<String, String> mistakes =
        Map.of(
            "",
            "Long address must be an address that begins with http:// or https://.",
            "example.com",
            "Long address must be an address that begins with http:// or https://.",
            "https://exa mple.com",
            "Long address holds a character that addresses may not.",
            "https://",
            "Long address must name a host, with a port from 1 to 65535 if any."
                + " If its letters can be read in two ways, write the host in its xn-- form.");
    mistakes.forEach(
        (address, message) -> {
          page.fill("input[name=url]", address);
          page.click("#make > button");
          page.waitForCondition(() -> page.textContent("#problem").equals(message));
          assertThat(page.getAttribute("input[name=url]", "aria-invalid")).isEqualTo("true");
        });
    page.fill("input[name=url]", "https://example.com/");
    page.click("details summary");
    page.fill("input[name=expires_at]", "2020-01-01T00:00");
    page.click("#make > button");
    page.waitForSelector("#problem:text-is('The expiry must be in the future.')");
    assertThat(page.getAttribute("input[name=expires_at]", "aria-invalid")).isEqualTo("true");
    assertThat(calls).isEmpty();
  }

  @Test
  void aTelephoneShowsTheCheckAndThenTheLink() {
    Page page = page(360, ColorScheme.LIGHT, "en");
    page.setViewportSize(360, 420);
    page.navigate("/links");
    List<Route> held = new ArrayList<>();
    page.route("**/api/challenge*", held::add);
    page.fill("input[name=url]", "https://example.com/");
    page.click("#make > button");
    page.waitForSelector("#status:text-is('Checking that you are not a robot')");
    page.waitForCondition(() -> !held.isEmpty());
    page.unroute("**/api/challenge*");
    held.forEach(Route::resume);
    page.waitForSelector("#make > button:not([disabled])");
    String code = make(page, "https://example.com/");
    assertThat(page.textContent("#status"))
        .isEqualTo("Your short link: " + server.baseUrl() + "/" + code);
    Object top = page.evaluate("document.querySelector('#list li').getBoundingClientRect().top");
    assertThat(((Number) top).doubleValue()).isBetween(-1.0, 300.0);
  }

  @Test
  void aRefusalSaysWhenToTryAgain() {
    Page page = page(360, ColorScheme.LIGHT, "en");
    page.navigate("/links");
    for (String address : List.of("**/api/challenge*", "**/api/v1/shortlinks")) {
      page.route(
          address,
          route ->
              route.fulfill(
                  new Route.FulfillOptions()
                      .setStatus(429)
                      .setContentType("application/json")
                      .setBody("{\"success\":false,\"message\":\"Too many.\",\"retry_after\":7}")));
      page.fill("input[name=url]", "https://example.com/");
      page.click("#make > button");
      page.waitForSelector("#problem:text-is('Too many. Try again in 7 sec.')");
      page.unroute(address);
      page.reload();
    }
    chromium.forgive();
  }

  @Test
  void theConsolesSectionIsAccessibleAndFitsATelephone() {
    TestOperator owner = TestOperator.firstOwner(server);
    for (Chromium.Look look :
        List.of(new Chromium.Look("zh-CN", 1280), new Chromium.Look("en", 360))) {
      Page page = chromium.console(server, owner, look.locale(), look.width());
      page.navigate("/console/links");
      page.waitForSelector(".console-page h1");
      assertThat(page.isVisible("[role=alert]:not(:empty)")).isFalse();
      assertThat(page.content()).as("texts have translations").doesNotContain(">console.");
      assertThat(barriers(page)).isEmpty();
      shoot(page, "console-links-" + look.locale() + "-" + look.width());
    }
  }
}
