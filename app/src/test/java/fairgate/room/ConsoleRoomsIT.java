package fairgate.room;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import fairgate.app.pages.Chromium;
import fairgate.app.pages.ConsoleScene;
import fairgate.room.token.KeyBinding;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

/// An operator creates, changes and deletes a waiting room in the console, in Chromium.
class ConsoleRoomsIT extends ConsoleScene {
  private static void create(Page page, String id) {
    page.navigate("/console/rooms");
    page.click("#new");
    page.fill("[name=id]", id);
    page.fill("[name=hosts]", "shop.example, *.shop.example");
    page.fill("[name=include]", "/tickets");
    page.fill("[name=rate]", "0.5");
    page.click("dialog .primary");
  }

  @Test
  void anOperatorCreatesChangesAndDeletesARoom() {
    Page page = console(1280, "en");
    create(page, "Shop!");
    page.waitForSelector("[name=id][aria-invalid=true]");
    page.fill("[name=id]", "shop");
    page.fill("[name=return_url]", "https://other.example/");
    page.click("dialog .primary");
    page.waitForSelector("[name=return_url][aria-invalid=true]");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-room-new");
    page.fill("[name=return_url]", "https://shop.example/tickets");
    page.click("dialog .primary");
    page.waitForSelector("#turn");
    assertThat(server.admin("GET", "/rooms/shop", ""))
        .contains("\"mode\":\"off\"", "\"*.shop.example\"", "\"/tickets\"", "\"rate\":0.5");

    page.click("#turn");
    page.selectOption("[name=mode]", "on");
    page.click("dialog .danger");
    page.waitForSelector(".badge:has-text('On')");
    create(page, "shop");
    page.waitForSelector("dialog .note.bad:not([hidden])");
    assertThat(page.textContent("dialog .note.bad")).contains("already a waiting room");
    assertThat(server.admin("GET", "/rooms/shop", ""))
        .as("the room stays as it is")
        .contains("\"mode\":\"on\"");
    page.keyboard().press("Escape");

    page.navigate("/console/rooms/shop");
    page.click("#edit");
    String settings = page.inputValue("[name=settings]");
    for (String wrong : List.of("{", settings.replace("\"rate\"", "\"speed\""))) {
      page.fill("[name=settings]", wrong);
      page.click("dialog .primary");
      page.waitForSelector("dialog .note.bad:not([hidden]), dialog .field-problem:not([hidden])");
    }
    page.fill("[name=settings]", settings.replace("\"capacity\": 1000", "\"capacity\": 20"));
    page.click("dialog .primary");
    page.waitForSelector("dd:text-is('20')");

    page.click("#delete");
    page.fill("dialog [name=reason]", "the sale is over");
    page.fill("dialog [name=typed]", "shop");
    shoot(page, "console-room-delete");
    page.click("dialog .danger");
    page.waitForSelector(".nothing");
    assertThat(server.admin("GET", "/rooms", "")).contains("\"rooms\":[]");
    assertThat(barriers(page)).isEmpty();
    chromium.forgive();
  }

  @Test
  void anOperatorSeesWhoWaitsAndPausesTheRoom() {
    server.admin(
        "PUT",
        "/rooms/queue",
        "{\"hosts\": [\"shop.example\"], \"mode\": \"on\", \"challenge\": false, \"capacity\": 1}");
    Page page = console(1280, "en");
    page.navigate("/console/rooms/queue");
    page.click("#pause");
    assertThat(page.textContent("dialog")).contains("Pause queue?", "Nobody is admitted");
    page.click("dialog .primary");
    page.waitForSelector(".badge.paused");
    String hold = KeyBinding.ofSecret(new byte[32]).value();
    for (int i = 0; i < 2; i++) {
      HttpResponse<String> joined =
          server.callUntilAccepted("POST", "/q/queue/join", "{\"hold\": \"" + hold + "\"}");
      assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
    }
    Eventually.await(
        "the page tells who waits",
        () -> {
          page.reload();
          page.waitForSelector("#resume");
          return page.locator("div:has(> dt:text-is('Waiting')) dd:text-is('2')").count() == 1;
        });
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-room-paused");

    page.navigate("/console/rooms");
    page.waitForSelector("td[data-title=Waiting]:text-is('2')");
    assertThat(page.textContent("td[data-title=Mode]")).isEqualTo("On Paused");
    page.navigate("/console/rooms/queue");
    page.click("#resume");
    page.click("dialog .primary");
    page.waitForSelector("#pause");
    assertThat(server.admin("GET", "/rooms/queue", "")).contains("\"paused\":false");
    String _ = server.admin("DELETE", "/rooms/queue", "");
    assertThat(chromium.closePages()).isEmpty();
  }

  @Test
  void theRoomsAreReadableInThreeLanguagesAndOnATelephone() {
    Page page = console(1280, "en");
    create(page, "small");
    page.waitForSelector("#turn");
    for (Chromium.Look each : Chromium.LOOKS) {
      String locale = each.locale();
      int width = each.width();
      Chromium.look(page, server, each);
      page.navigate("/console");
      page.waitForSelector("main h1");
      for (String path : List.of("", "/small")) {
        Chromium.go(page, "/console/rooms" + path);
        page.waitForSelector(path.isEmpty() ? "a[href='/console/rooms/small']" : "#turn");
        assertThat(barriers(page)).as(locale + path).isEmpty();
        shoot(page, "console-rooms" + path.replace('/', '-') + "-" + locale + "-" + width);
      }
      Chromium.go(page, "/console/rooms");
      page.click("#new");
      assertThat(barriers(page)).as(locale).isEmpty();
      shoot(page, "console-rooms-new-" + locale + "-" + width);
    }
    assertThat(chromium.closePages()).isEmpty();
    String _ = server.admin("DELETE", "/rooms/small", "");
  }
}
