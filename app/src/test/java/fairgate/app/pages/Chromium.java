package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.Cookie;
import com.microsoft.playwright.options.Media;
import com.microsoft.playwright.options.ReducedMotion;
import fairgate.app.TestFairgate;
import fairgate.operator.access.TestOperator;
import fairgate.testkit.Eventually;
import fairgate.testkit.HeadlessChromium;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Browser profiles of a test in Chromium. Collects the browser errors of the pages. All tests of a
/// process share one Chromium, which ends with it; Playwright allows one thread only, so tests must
/// not use it from others.
public final class Chromium implements AutoCloseable {
  /// Where screenshots are written if the property `fairgate.screenshots` is set.
  private static final Path SCREENSHOTS = Path.of("target", "screenshots");

  private static final boolean SHOOTS = System.getProperty("fairgate.screenshots") != null;

  private static final String AXE = axe();

  /// As long as `Eventually`: only what never happens uses it up.
  private static final int WAIT_MS = 120_000;

  public static final int BUSY = 503;

  /// The visible texts that a printer would print in a pale colour on white paper.
  private static final String PALE =
      """
      [...document.querySelectorAll('main *')]
        .filter((each) => each.checkVisibility() && [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
        .filter((each) => getComputedStyle(each).color.match(/\\d+/g).slice(0, 3).every((part) => part > 140))
        .map((each) => each.textContent)
      """;

  /// A language and a width in pixels. A telephone is dark.
  public record Look(String locale, int width) {
    public ColorScheme scheme() {
      return width < 500 ? ColorScheme.DARK : ColorScheme.LIGHT;
    }

    /// The language as the pages name it.
    String language() {
      return switch (locale) {
        case "zh-TW" -> "zh-Hant";
        case "zh-CN" -> "zh-Hans";
        default -> locale;
      };
    }
  }

  /// The longest words on the narrowest screen, and Chinese on a wide one. Simplified Chinese takes
  /// the room of traditional Chinese; `DictionaryTest` compares their texts.
  public static final List<Look> LOOKS = List.of(new Look("en", 360), new Look("zh-TW", 1280));

  /// Collects the event streams of a page in `streams`, and lets a test hide the page.
  static final String WATCHED_STREAMS =
      """
      window.streams = [];
      window.away = false;
      Object.defineProperty(document, 'hidden', {get: () => window.away});
      window.EventSource = class extends EventSource {
        constructor(...all) {
          super(...all);
          window.streams.push(this);
        }
      };
      """;

  /// Makes the pauses of a page short.
  private static final String HURRY =
      """
      const timer = window.setTimeout.bind(window);
      window.setTimeout = (step, ms) => timer(step, Math.min(ms ?? 0, 250));
      """;

  private static @Nullable Browser shared;

  private final Browser browser = shared();
  private final List<BrowserContext> contexts = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();

  private static synchronized Browser shared() {
    if (shared == null || !shared.isConnected()) {
      shared = HeadlessChromium.launch(HeadlessChromium.driver());
    }
    return shared;
  }

  @Override
  public void close() {
    var _ = closePages();
  }

  /// A page in a fresh browser profile.
  public Page page(Browser.NewContextOptions options, String baseUrl, String locale) {
    // Animations would be drawn sixty times a second for nobody.
    options.setReducedMotion(ReducedMotion.REDUCE);
    BrowserContext context = browser.newContext(options.setBaseURL(baseUrl).setLocale(locale));
    contexts.add(context);
    context.setDefaultTimeout(WAIT_MS);
    Page page = context.newPage();
    page.onPageError(complaints::add);
    page.onConsoleMessage(
        message -> {
          boolean stream = message.location().contains("/stream");
          // A server that is too busy says so, and is asked again.
          boolean busy = message.text().contains("status of " + BUSY);
          if (message.type().equals("error") && !stream && !busy) {
            complaints.add(message.text() + " " + message.location());
          }
        });
    return page;
  }

  /// A page in a fresh profile that axe may examine.
  ///
  /// @param width pixels
  public Page page(TestFairgate server, String locale, int width, ColorScheme scheme) {
    return page(
        new Browser.NewContextOptions()
            .setBypassCSP(true)
            .setViewportSize(width, 860)
            .setColorScheme(scheme)
            .setTimezoneId("UTC"),
        server.baseUrl(),
        locale);
  }

  /// As `page`, signed in to the console.
  public Page console(TestFairgate server, TestOperator operator, String locale, int width) {
    Page page = page(server, locale, width, new Look(locale, width).scheme());
    signIn(page, server, operator);
    return page;
  }

  /// Gives a page another language, width and colours; a profile of its own would cost the browser
  /// more. For what the page shows next.
  public static void look(Page page, TestFairgate server, Look look) {
    look(page, server, look, look.scheme());
  }

  public static void look(Page page, TestFairgate server, Look look, ColorScheme scheme) {
    page.setViewportSize(look.width(), 860);
    page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
    page.context()
        .addCookies(List.of(new Cookie("fairgate_lang", look.language()).setUrl(server.baseUrl())));
  }

  /// Gives the profile of a page the operator's session.
  static void signIn(Page page, TestFairgate server, TestOperator operator) {
    page.context()
        .addCookies(
            List.of(
                new Cookie("fairgate_operator", operator.cookie().split("=", 2)[1])
                    .setUrl(server.baseUrl())));
  }

  /// Joins on the open page of a sale, and again while the server is too busy for it.
  static void join(Page page) {
    send(page, "**/api/queue/join", () -> page.click("#panel .button.primary"));
  }

  /// Does what sends a request, and again while the server is too busy for it.
  ///
  /// @param address pattern of the request
  public static void send(Page page, String address, Runnable act) {
    Eventually.await(
        "the server is not too busy for " + address,
        () -> page.waitForResponse(address, act).status() != BUSY);
  }

  /// Goes from a page of the console to another one, as its links do: the console stays loaded.
  public static void go(Page page, String path) {
    page.evaluate(
        """
        path => {
          document.querySelector('.console-page').dataset.left = '';
          history.pushState(null, '', path);
          dispatchEvent(new PopStateEvent('popstate'));
        }
        """,
        path);
    page.waitForSelector(".console-page:not([data-left]) h1");
  }

  /// Types a shortcut of two keys in the console, until its page opens: a busy machine may be too
  /// slow for the time that the console allows between them.
  static void shortcut(Page page, String keys, String path) {
    Eventually.await(
        "the page of " + keys,
        () -> {
          page.keyboard().type(keys);
          page.waitForTimeout(20);
          return page.url().endsWith(path);
        });
  }

  /// Makes the pauses of the next pages short, so that a test does not wait for them. Not for a
  /// page that tries again what a test makes fail: it would not stand still.
  public static void hurry(Page page) {
    page.addInitScript(HURRY);
  }

  /// Moves the clock of a page, which the test has installed, until the page shows this. So a test
  /// does not wait for the pauses of the page.
  ///
  /// @param pause of the page, ms
  public static void passUntil(Page page, int pause, String selector) {
    Eventually.await(
        selector,
        () -> {
          page.clock().fastForward(pause);
          return page.isVisible(selector);
        });
  }

  /// Hides a page with `WATCHED_STREAMS`, as another tab in front of it does, or shows it.
  static void hide(Page page, boolean hidden) {
    page.evaluate(
        "hidden => { window.away = hidden; document.dispatchEvent(new Event('visibilitychange'));"
            + " }",
        hidden);
  }

  /// Closes all profiles; returns the browser errors since the last call.
  public List<String> closePages() {
    // A page that closes may still send a request that a test answers itself.
    contexts.stream().flatMap(context -> context.pages().stream()).forEach(Page::unrouteAll);
    contexts.forEach(BrowserContext::close);
    contexts.clear();
    List<String> heard = List.copyOf(complaints);
    complaints.clear();
    return heard;
  }

  /// Discards browser errors that the test caused on purpose.
  public void forgive() {
    complaints.clear();
  }

  /// Checks that the page has no horizontal overflow, and may save a screenshot.
  public static void shoot(Page page, String name) {
    if (SHOOTS) {
      Path file = SCREENSHOTS.resolve(name + ".png");
      page.screenshot(new Page.ScreenshotOptions().setPath(file).setFullPage(true));
    }
    assertThat(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
        .as(name + " fits the width")
        .isEqualTo(true);
  }

  /// Checks that all text of what a printer gets is dark, whatever the colours of the screen are,
  /// and may save it as a screenshot and as a PDF.
  static void print(Page page, String name) {
    page.emulateMedia(new Page.EmulateMediaOptions().setMedia(Media.PRINT));
    shoot(page, name);
    assertThat(page.evaluate("getComputedStyle(document.documentElement).colorScheme"))
        .as(name + " has the background of paper")
        .isEqualTo("light");
    assertThat((List<?>) page.evaluate(PALE)).as(name + " has pale text").isEmpty();
    if (SHOOTS) {
      page.pdf(new Page.PdfOptions().setPath(SCREENSHOTS.resolve(name + ".pdf")).setFormat("A4"));
    }
    page.emulateMedia(new Page.EmulateMediaOptions().setMedia(Media.SCREEN));
  }

  /// Presses Tab until the element with this text has the focus.
  public static void tabTo(Page page, String text) {
    for (int i = 0; i < 30; i++) {
      page.keyboard().press("Tab");
      if (text.equals(page.evaluate("document.activeElement.textContent"))) {
        return;
      }
    }
    throw new AssertionError("the keyboard never reaches: " + text);
  }

  /// The accessibility problems that axe finds, in the open dialog if there is one: nobody reaches
  /// the rest of the page then. The profile has to bypass the content security policy.
  public static List<?> barriers(Page page) {
    if (page.evaluate("typeof axe").equals("undefined")) {
      page.evaluate(AXE);
    }
    return (List<?>)
        page.evaluate(
            "axe.run(document.querySelector('dialog[open]') ?? document, {resultTypes:"
                + " ['violations']}).then(r => r.violations.map(v =>"
                + " v.id + ': ' + v.nodes.map(n => n.html).join(' ')))");
  }

  private static String axe() {
    try (InputStream in = Chromium.class.getResourceAsStream("/axe.min.js")) {
      assertThat(in).as("axe.min.js").isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
