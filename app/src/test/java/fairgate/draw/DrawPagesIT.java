package fairgate.draw;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import fairgate.app.Main;
import fairgate.app.pages.Chromium;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A buyer in Chromium, from the announcement of a draw to the place, the check, and the purchase.
class DrawPagesIT {
  private static final String DRAW = "/draws/" + DrawScene.DRAW;

  private record Look(String name, String locale, int width, ColorScheme scheme) {}

  private static final List<Look> LOOKS =
      List.of(
          new Look("en-phone", "en", 360, ColorScheme.LIGHT),
          new Look("hant-desktop-dark", "zh-TW", 1200, ColorScheme.DARK));

  @TempDir private Path folder;
  private final Chromium chromium = new Chromium();
  private final Map<String, Page> visitors = new HashMap<>();

  @AfterEach
  void close() {
    chromium.close();
  }

  private Page open(DrawScene scene, Look look, boolean script) {
    return chromium.page(
        new Browser.NewContextOptions()
            .setViewportSize(look.width(), 800)
            .setColorScheme(look.scheme())
            .setJavaScriptEnabled(script)
            .setBypassCSP(true),
        scene.server().baseUrl(),
        look.locale());
  }

  /// The page of a visitor who only looks.
  private Page visitor(DrawScene scene, Look look, boolean script) {
    return visitors.computeIfAbsent(look.name() + script, _ -> open(scene, look, script));
  }

  /// Looks at the page of the draw as it is now, in both widths and schemes.
  private void look(DrawScene scene, String stage, String ready) {
    for (Look look : LOOKS) {
      Page page = visitor(scene, look, true);
      page.navigate(DRAW);
      page.waitForSelector(ready);
      assertThat(barriers(page)).as(stage + " " + look.name()).isEmpty();
      shoot(page, "draw-" + stage + "-" + look.name());
    }
  }

  @Test
  void aBuyerEntersComesBackSeesThePlaceAndChecksIt() throws IOException {
    try (DrawScene scene = DrawScene.start(folder, 0)) {
      scene.announce(2, 300, 300, 30, ", \"holdbacks\": {\"artist\": 1}");
      look(scene, "1-announced", "#mine .count");
      scene.skipTo("opens_at");
      scene.await("open");
      look(scene, "2-open", "#enter");
      sells(scene);
      Page page = open(scene, LOOKS.getFirst(), true);
      page.navigate(DRAW);
      Path receipt = enter(page);
      for (int i = 0; i < 120; i++) {
        String _ = scene.enter();
      }
      withdraws(scene);
      scene.skipTo("closes_at");
      scene.await("sealed");
      comesBack(page);
      page.waitForSelector("#state[data-state=sealed]");
      assertThat(page.textContent("#state h1")).contains("Come back at");
      shoot(page, "draw-4-sealed-en-phone");
      waits(scene, page);
      scene.await("allocating");
      comesBack(page);
      page.waitForSelector(".rank");
      assertThat(page.textContent("#mine")).contains("of 122");
      shoot(page, "draw-6-result-en-phone");
      assertThat(barriers(page)).isEmpty();
      checks(scene, receipt);
      verifies(scene);
      look(scene, "7-drawn", "#state[data-state=allocating]");
      reads(scene);
      // Browsers report two answers that the page expects: no entry yet, and a receipt that is
      // being signed.
      assertThat(chromium.closePages())
          .allMatch(heard -> heard.contains("/entry") || heard.contains("/receipt"));
    }
  }

  /// The page of the sale leads to the draw, not into a line.
  private void sells(DrawScene scene) {
    for (Look look : LOOKS) {
      for (boolean scripted : new boolean[] {true, false}) {
        Page page = visitor(scene, look, scripted);
        page.navigate("/p/" + DrawScene.PRODUCT);
        String link = ".gate a[href='/p/" + DrawScene.PRODUCT + "/draw']";
        page.waitForSelector(link);
        assertThat(page.innerText(".gate")).doesNotContain("Join the line", "加入排隊");
        shoot(page, "draw-2-sale-" + look.name() + (scripted ? "" : "-plain"));
      }
    }
  }

  /// The page looks at once when its tab is shown again.
  private static void comesBack(Page page) {
    Object _ = page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  }

  /// The beacon is a minute late.
  private void waits(DrawScene scene, Page page) {
    assertThat(page.textContent("#state .more"))
        .contains("the beacon chain " + scene.chain().substring(0, 8) + " publishes");
    assertThat(page.textContent("#course")).contains("of the beacon chain").doesNotContain("drand");
    scene.late();
    comesBack(page);
    page.waitForSelector("#state[data-state=late]");
    assertThat(page.textContent("#state h1")).isEqualTo("Waiting for the random number");
    assertThat(page.textContent("#state .more"))
        .contains("since", "nobody’s chance changes", "/draws/" + DrawScene.DRAW + "/beacon");
    assertThat(page.locator("#mine .count").count()).isZero();
    assertThat(scene.server().call("GET", "/metrics", "").body())
        .containsPattern("\nfairgate_draw_late_seconds [1-9]");
    look(scene, "5-late", "#state[data-state=late]");
    Page report = visitor(scene, LOOKS.getFirst(), true);
    report.navigate(DRAW + "/report");
    assertThat(report.textContent("#late")).isEqualTo(page.textContent("#state .more"));
    assertThat(barriers(report)).isEmpty();
    Object round =
        page.evaluate(
            "() => { const { dataset } = document.getElementById('state');"
                + " const { round } = dataset; dataset.round = '1'; return round; }");
    comesBack(page);
    page.waitForSelector("#state[data-round='" + round + "']");
    scene.beacon();
  }

  /// Enters by the keyboard and saves the receipt.
  private Path enter(Page page) throws IOException {
    Chromium.send(
        page,
        "**/entries",
        () -> {
          page.waitForSelector("#enter:enabled");
          page.focus("#enter");
          page.keyboard().press("Enter");
        });
    page.waitForSelector("#receipt");
    assertThat(page.textContent("#mine h2")).isEqualTo("You are in");
    assertThat(page.evaluate("document.activeElement.id")).isEqualTo("mine-title");
    shoot(page, "draw-3-entered-en-phone");
    assertThat(barriers(page)).isEmpty();
    Download download = page.waitForDownload(() -> page.click("#receipt"));
    assertThat(download.suggestedFilename()).isEqualTo(DrawScene.DRAW + ".tlog-proof");
    Path saved = folder.resolve("mine.tlog-proof");
    download.saveAs(saved);
    assertThat(Files.readString(saved)).startsWith("c2sp.org/tlog-proof@v1\nextra ");
    page.reload();
    page.waitForSelector("#receipt");
    return saved;
  }

  private void withdraws(DrawScene scene) {
    Page page = open(scene, LOOKS.getFirst(), true);
    page.navigate(DRAW);
    Chromium.send(page, "**/entries", () -> page.click("#enter"));
    page.click("#withdraw");
    page.click("dialog .danger");
    page.waitForSelector("#mine h2:has-text('You have withdrawn your entry')");
    assertThat(barriers(page)).isEmpty();
    page.context().close();
  }

  /// The verifier from disk reads the record of the server, of another origin.
  private void checks(DrawScene scene, Path receipt) throws IOException {
    Path html = folder.resolve("verify.html");
    Files.writeString(html, DrawVerifierPage.html());
    Page page =
        chromium.page(
            new Browser.NewContextOptions().setViewportSize(800, 900), "about:blank", "en");
    page.navigate(html.toUri().toString());
    page.click("summary");
    page.fill("#chain", scene.chain());
    page.dispatchEvent("#chain", "change");
    page.setInputFiles("#receipt", receipt);
    page.fill("#address", scene.server().baseUrl() + DRAW);
    page.click("form button");
    page.waitForSelector("body[data-busy=''] #verdict[data-code=ok]");
    page.click("#everyone");
    page.waitForSelector("body[data-busy='']:not(:has(#everyone)) #verdict[data-code=ok]");
    assertThat(page.getAttribute("#mine", "data-state")).isEqualTo("good");
    assertThat(page.getAttribute("#all", "data-state")).isEqualTo("good");
    assertThat(page.locator(".rank").count()).isEqualTo(1);
  }

  /// The command on the page of the whole draw works as it is printed, on the saved record.
  private void verifies(DrawScene scene) {
    Page page = visitor(scene, LOOKS.getFirst(), false);
    page.navigate(DRAW + "/report");
    Path bundle = folder.resolve("bundle.tar");
    page.waitForDownload(() -> page.click("a[download]")).saveAs(bundle);
    String command = page.textContent("code:text('verify-draw')");
    assertThat(command).startsWith("./fairgate verify-draw bundle.tar ");
    StringWriter said = new StringWriter();
    int status =
        Main.commandLine()
            .setOut(new PrintWriter(said))
            .execute(
                command
                    .replace("./fairgate ", "")
                    .replace("bundle.tar", bundle.toString())
                    .split(" "));
    assertThat(status).as(said.toString()).isZero();
  }

  /// The list and the page of the whole draw, without JavaScript.
  private void reads(DrawScene scene) {
    for (Look look : LOOKS) {
      Page page = visitor(scene, look, false);
      page.navigate(DRAW);
      assertThat(page.isVisible("#course")).isTrue();
      page.navigate("/draws");
      shoot(page, "draw-8-list-" + look.name());
      page.navigate(DRAW + "/report");
      assertThat(page.locator(".tests tbody tr").count()).isEqualTo(2);
      shoot(page, "draw-9-report-" + look.name());
      Page scripted = visitor(scene, look, true);
      for (String path : List.of("/draws", DRAW + "/report")) {
        scripted.navigate(path);
        assertThat(barriers(scripted)).as(path).isEmpty();
      }
    }
    HttpResponse<String> unknown = scene.server().call("GET", "/draws/nobody/report", "");
    assertThat(unknown.statusCode()).isEqualTo(404);
  }
}
