package fairgate.testkit;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Starts the installed Chromium without a window: `FAIRGATE_CHROMIUM`, otherwise Debian's.
/// Playwright downloads no browser of its own.
public final class HeadlessChromium {
  private HeadlessChromium() {}

  /// A driver, and the process that serves it. A driver and its browsers may be used by one thread
  /// only.
  public static Playwright driver() {
    return Playwright.create(
        new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
  }

  /// A new browser, which ends with the driver.
  public static Browser launch(Playwright driver) {
    String chromium =
        System.getenv().getOrDefault("FAIRGATE_CHROMIUM", "/usr/bin/chromium-headless-shell");
    return driver
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
}
