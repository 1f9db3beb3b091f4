package fairgate.draw;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import fairgate.app.pages.Chromium;
import fairgate.app.pages.ConsoleScene;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.testkit.Eventually;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// An operator announces, watches and aborts a draw in the console, in Chromium.
class ConsoleDrawsIT extends ConsoleScene {
  /// The page of a draw asks again after so many milliseconds.
  private static final int REFRESH_MS = 5_000;

  /// Fills a time so many seconds from now.
  private static void time(Page page, String name, int seconds) {
    // Browsers drop the seconds of a full minute, and Playwright compares.
    String now = "new Date(Date.now() + " + seconds * 1000 + ").toISOString().slice(0, 19)";
    Object text = page.evaluate(now + ".replace(/:00$/, '')");
    page.fill("[name=" + name + "]", String.valueOf(text));
  }

  private static Instant moment(JsonObject draw, String name) {
    return Instant.parse(String.valueOf(draw.get(name)));
  }

  @Test
  void anOperatorAnnouncesWatchesAndAbortsADraw() {
    server.createProduct("7", 3, "{\"pre_queue\": \"draw\"}");
    Page page = console(1280, "en");
    page.clock().install();
    page.navigate("/console/draws");
    page.waitForSelector(".nothing");
    page.click("a[href='/console/draws/new']");
    page.fill("[name=id]", "Tour!");
    time(page, "opens_at", 300);
    time(page, "closes_at", 600);
    page.click("form .button.primary");
    page.waitForSelector("dialog dd:has-text('Tour!')");
    shoot(page, "console-draw-review");
    page.click("dialog .danger");
    page.waitForSelector("[name=id][aria-invalid=true]");
    assertThat(barriers(page)).isEmpty();
    page.fill("[name=id]", "tour");
    page.fill("[name=seal_margin_seconds]", "1200");
    AtomicInteger seconds = new AtomicInteger(3);
    Eventually.await(
        "the draw is announced before it opens",
        () -> {
          time(page, "opens_at", seconds.getAndUpdate(before -> 2 * before));
          page.click("form .button.primary");
          page.waitForSelector("dialog dd:has-text('tour')");
          page.click("dialog .danger");
          page.waitForSelector("#abort, [name=opens_at][aria-invalid=true]");
          return page.isVisible("#abort");
        });
    JsonObject draw = Json.parseObject(server.admin("GET", "/draws/tour", ""));
    assertThat(draw.get("product_id")).isEqualTo("7");
    assertThat(moment(draw, "draws_at"))
        .isAfterOrEqualTo(moment(draw, "closes_at").plusSeconds(1200));
    areReadable();
    // The page follows the state by itself.
    Chromium.passUntil(page, REFRESH_MS, "#exclude");
    page.click("#exclude");
    page.fill("dialog [name=index]", "0");
    page.fill("dialog [name=reason]", "duplicate");
    page.click("dialog .danger");
    page.waitForSelector("dialog .note.bad:not([hidden])");
    page.keyboard().press("Escape");
    page.click("#abort");
    page.fill("dialog [name=reason]", "event_cancelled");
    page.fill("dialog [name=typed]", "tour");
    shoot(page, "console-draw-abort");
    page.click("dialog .danger");
    page.waitForSelector("dd:has-text('event_cancelled')");
    assertThat(page.locator("#abort").count()).isZero();
    assertThat(barriers(page)).isEmpty();
    chromium.forgive();
  }

  /// The list, the form and the page of the draw, in three languages and on a telephone.
  private static void areReadable() {
    try (Chromium looks = new Chromium()) {
      Page page = looks.console(server, owner, "en", 1280);
      for (Chromium.Look each : Chromium.LOOKS) {
        String locale = each.locale();
        int width = each.width();
        Chromium.look(page, server, each);
        page.navigate("/console");
        page.waitForSelector("main h1");
        for (String path : List.of("", "/new", "/tour")) {
          Chromium.go(page, "/console/draws" + path);
          assertThat(barriers(page)).as(locale + path).isEmpty();
          shoot(page, "console-draws" + path.replace('/', '-') + "-" + locale + "-" + width);
        }
      }
      assertThat(looks.closePages()).isEmpty();
    }
  }
}
