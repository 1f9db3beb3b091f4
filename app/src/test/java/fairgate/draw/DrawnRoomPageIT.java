package fairgate.draw;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.FilePayload;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.app.pages.Chromium;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeDrand;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The page of a waiting room whose order is drawn, and the page that checks the draw, in Chromium.
class DrawnRoomPageIT {
  @TempDir private Path folder;

  private final Chromium chromium = new Chromium();

  @AfterEach
  void close() {
    chromium.close();
  }

  private static void room(TestFairgate server, Instant opensAt) {
    String _ =
        server.admin(
            "PUT",
            "/rooms/tour",
            """
            {"hosts": ["127.0.0.1"], "mode": "on", "capacity": 1, "rate": 1, "paused": true,
             "titles": {"en": "The Tour"}, "return_url": "%s/docs", "pre_queue": "draw",
             "opens_at": "%s"}
            """
                .formatted(server.baseUrl(), opensAt));
  }

  @Test
  void aVisitorSeesTheSealAndThePlaceAndChecksTheDraw() throws IOException {
    TestEngines.shared().flushRedis();
    FakeDrand drand = TestBeacon.start(Clock.systemUTC());
    drand.silent(true);
    Map<String, String> settings = TestBeacon.settings(drand, folder);
    settings.put("draws.room_seconds", "12");
    try (drand;
        TestFairgate server =
            TestFairgate.start(
                TestEngines.shared(), TestEngines.shared().freshDatabase(), settings)) {
      room(server, Instant.now().plusSeconds(3_600));
      Eventually.await(
          "the room has a head", () -> server.call("GET", "/q/tour/head", "").statusCode() == 200);
      Page page =
          chromium.page(
              new Browser.NewContextOptions().setViewportSize(390, 800).setBypassCSP(true),
              server.baseUrl(),
              "en");
      Chromium.hurry(page);
      page.navigate("/q/tour/");
      page.waitForSelector("#room[data-stage=before]");
      assertThat(page.textContent("#room")).contains("drawn by a random number");
      room(server, Instant.now().minusSeconds(1));
      page.waitForSelector("#room[data-stage=before]:has-text('opening is in the draw (1).')");
      assertThat(page.textContent("#room")).containsPattern("the order at .*\\d:\\d\\d:\\d\\d");
      assertThat(barriers(page)).isEmpty();
      shoot(page, "room-3-draw");
      page.waitForSelector("#room :text('has not come yet')");
      assertThat(page.textContent("#room")).contains("you keep your place").doesNotContain("(1)");
      assertThat(barriers(page)).isEmpty();
      assertThat(
              server
                  .call("GET", "/q/tour/wait/0", "", "Accept", "text/html", "Accept-Language", "en")
                  .body())
          .contains("has not come yet");
      drand.silent(false);
      page.waitForSelector("#room[data-stage=paused]");
      page.click("text=Check the draw yourself");
      page.waitForURL("**/verify?room=tour&ticket=0");
      page.waitForSelector("#verdict[data-code=unknown_beacon]");
      // The checks end before the witnesses are looked at.
      assertThat(page.getAttribute("#mine", "data-state")).isEqualTo("open");
      assertThat(page.textContent("#mine")).contains("Not checked any more");
      nameChain(page, drand.chainHash());
      page.waitForSelector("#verdict[data-code=ok]");
      assertThat(page.textContent("#all")).contains("Your place in the drawn order: 1 of 1");
      assertThat(page.textContent("#mine"))
          .contains("No witness confirms that this was before the dice")
          .doesNotContain("sealed before the dice");
      assertThat(barriers(page)).isEmpty();
      shoot(page, "room-4-verify");
      page.setInputFiles(
          "#receipt",
          new FilePayload(
              "mine.tlog-proof", "text/plain", "c2sp.org/tlog-proof@v1\n".getBytes(UTF_8)));
      page.waitForSelector("#mine:has-text('Waiting rooms give no receipts')");
      page.navigate("/verify?room=tour&ticket=-1");
      nameChain(page, drand.chainHash());
      page.waitForSelector("#verdict[data-code=ticket_not_in_draw]");
      assertThat(page.textContent("#verdict"))
          .contains("Ticket -1 is not in this draw. Its tickets are 0-0;");
      assertThat(page.getAttribute("#all", "data-state")).isEqualTo("good");
      assertThat(page.textContent("#all")).doesNotContain("Your place");
      // A number that JavaScript cannot hold exactly.
      page.navigate("/verify?room=tour&ticket=9007199254740993");
      nameChain(page, drand.chainHash());
      page.waitForSelector("#verdict[data-code=ticket_not_in_draw]");
      assertThat(page.textContent("#verdict")).contains("Ticket 9007199254740993 is not in this");
      page.navigate("/verify?room=tour&ticket=first");
      page.waitForSelector("#mine:has-text('the ticket “first”, which is not a number')");
      page.navigate("/verify?room=tuor&ticket=0");
      page.waitForSelector("#verdict.unread[data-code=not_announced]");
      assertThat(page.textContent("#verdict")).contains("so nothing was checked");
    }
  }

  private static void nameChain(Page page, String hash) {
    page.evaluate(
        "(hash) => { const input = document.getElementById('chain'); input.value = hash;"
            + " input.dispatchEvent(new Event('change')); }",
        hash);
  }
}
