package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Browser profiles of a test in Chromium: `FAIRGATE_CHROMIUM`, otherwise Debian's. Collects the
/// browser errors of the pages. All tests of a process share one Chromium, which ends with it;
/// Playwright allows one thread only, so tests must not use it from others.
final class Chromium implements AutoCloseable {
  private static final Path SCREENSHOTS = Path.of("target", "screenshots");

  private static @Nullable Browser shared;

  private final Browser browser = shared();
  private final List<BrowserContext> contexts = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();

  private static synchronized Browser shared() {
    if (shared == null || !shared.isConnected()) {
      shared = launch();
    }
    return shared;
  }

  private static Browser launch() {
    String chromium = System.getenv().getOrDefault("FAIRGATE_CHROMIUM", "/usr/bin/chromium");
    return Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")))
        .chromium()
        .launch(
            new BrowserType.LaunchOptions()
                .setExecutablePath(Path.of(chromium))
                .setArgs(
                    List.of(
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-background-networking")));
  }

  @Override
  public void close() {
    var _ = closePages();
  }

  /// A page in a fresh browser profile.
  Page page(Browser.NewContextOptions options, String baseUrl, String locale) {
    BrowserContext context = browser.newContext(options.setBaseURL(baseUrl).setLocale(locale));
    contexts.add(context);
    Page page = context.newPage();
    page.onPageError(complaints::add);
    page.onConsoleMessage(
        message -> {
          boolean stream = message.location().contains("/stream");
          if (message.type().equals("error") && !stream) {
            complaints.add(message.text() + " " + message.location());
          }
        });
    return page;
  }

  /// Closes all profiles; returns the browser errors since the last call.
  List<String> closePages() {
    contexts.forEach(BrowserContext::close);
    contexts.clear();
    List<String> heard = List.copyOf(complaints);
    complaints.clear();
    return heard;
  }

  /// Discards browser errors that the test caused on purpose.
  void forgive() {
    complaints.clear();
  }

  /// Saves a screenshot and checks that the page has no horizontal overflow.
  static void shoot(Page page, String name) {
    page.screenshot(
        new Page.ScreenshotOptions().setPath(SCREENSHOTS.resolve(name + ".png")).setFullPage(true));
    assertThat(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
        .as(name + " fits the width")
        .isEqualTo(true);
  }

  /// Presses Tab until the element with this text has the focus.
  static void tabTo(Page page, String text) {
    for (int i = 0; i < 30; i++) {
      page.keyboard().press("Tab");
      if (text.equals(page.evaluate("document.activeElement.textContent"))) {
        return;
      }
    }
    throw new AssertionError("the keyboard never reaches: " + text);
  }

  /// The accessibility problems that axe finds. The profile has to bypass the content security
  /// policy.
  static List<?> barriers(Page page) {
    page.evaluate(axe());
    return (List<?>)
        page.evaluate(
            "axe.run({resultTypes: ['violations']}).then(r => r.violations.map(v =>"
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
