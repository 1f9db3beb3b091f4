package fairgate.bench;

import com.google.gson.JsonObject;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import fairgate.draw.DrawVerifierPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Measures the browser verifier of draws on one bundle: the short check with a slowed processor,
/// and the check of everyone with the progress that the page shows.
public final class DrawInBrowser {
  private static final int SLOWER = 6;
  private static final int PATIENCE_MS = 900_000;
  private static final int LOOK_MS = 200;

  private DrawInBrowser() {}

  /// Prints verdicts and times.
  ///
  /// @param args the bundle, the hash of its chain or "", and the receipt if any
  public static void main(String[] args) throws IOException {
    Path html = Files.createTempFile("verify", ".html");
    html.toFile().deleteOnExit();
    Files.writeString(html, DrawVerifierPage.html());
    try (Playwright playwright =
        Playwright.create(
            new Playwright.CreateOptions()
                .setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")))) {
      String chromium = System.getenv().getOrDefault("FAIRGATE_CHROMIUM", "/usr/bin/chromium");
      Browser browser =
          playwright
              .chromium()
              .launch(
                  new BrowserType.LaunchOptions()
                      .setExecutablePath(Path.of(chromium))
                      .setArgs(List.of("--headless", "--no-sandbox", "--disable-gpu")));
      Page page = browser.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      page.navigate(html.toUri().toString());
      page.click("summary");
      page.fill("#chain", args[1]);
      page.dispatchEvent("#chain", "change");
      if (args.length > 2) {
        page.setInputFiles("#receipt", Path.of(args[2]));
      }
      CDPSession session = page.context().newCDPSession(page);
      slow(session, SLOWER);
      long from = System.nanoTime();
      page.setInputFiles("#bundle", Path.of(args[0]));
      page.waitForSelector("body[data-busy=''] #verdict");
      report(page, "short check, page slowed " + SLOWER + " times", from);
      slow(session, 1);
      everyone(page);
    }
  }

  private static void everyone(Page page) {
    Map<String, Integer> looks = new LinkedHashMap<>();
    long from = System.nanoTime();
    page.click("#everyone");
    while (page.querySelector("body[data-busy='full']") != null) {
      Object phase = page.evaluate("document.getElementById('phase')?.textContent ?? ''");
      looks.merge(phase.toString().replaceAll("[ 0-9%]+$", ""), 1, Integer::sum);
      page.waitForTimeout(LOOK_MS);
    }
    report(page, "everyone", from);
    System.out.println("progress shown, looks each " + LOOK_MS + " ms: " + looks);
    System.out.println(page.textContent("#all").strip());
  }

  private static void report(Page page, String what, long from) {
    System.out.printf(
        "%s: %s after %d ms%n",
        what, page.getAttribute("#verdict", "data-code"), (System.nanoTime() - from) / 1_000_000);
  }

  private static void slow(CDPSession session, int factor) {
    JsonObject rate = new JsonObject();
    rate.addProperty("rate", factor);
    session.send("Emulation.setCPUThrottlingRate", rate);
  }
}
