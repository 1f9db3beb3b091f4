package fairgate.room;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import fairgate.app.pages.Chromium;
import fairgate.kernel.TicketOrder;
import fairgate.testkit.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// The waiting page in Chromium, with and without JavaScript.
class RoomPageIT extends RoomScene {
  private static final String REFRESH = "http-equiv=\"refresh\" content=\"10\"";

  @Test
  void aBrowserWaitsSeesItsPlaceAndEntersWithItsOwnKey() {
    room("tour", "");
    String first = Visitor.join("tour").enter("tour");
    Visitor second = Visitor.join("tour");
    Page page = hurried("/q/tour/");
    page.waitForSelector("#room[data-ahead='1']");
    assertThat(page.textContent(".place strong")).isEqualTo("2");
    assertThat(page.textContent("h1")).isEqualTo("The Tour");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "room-1-waiting");
    server.admin("PUT", "/rooms/tour/stock", "{\"left\": 0}");
    page.waitForSelector(".note.warn:not([hidden])");
    assertThat(page.textContent(".note.warn")).isEqualTo("Everything is sold.");
    page.reload();
    page.waitForSelector("#room[data-ahead='1']");
    assertThat(server.callUntilAccepted("POST", "/q/tour/leave", second.body()).statusCode())
        .isEqualTo(204);
    page.waitForSelector("#room[data-ahead='0']");
    release("tour", first);
    page.waitForURL("**/docs");
    assertThat(page.context().cookies())
        .anyMatch(cookie -> cookie.name.equals("fairgate_pass_tour") && cookie.httpOnly);
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }

  /// A language, the width of the window, and its colours.
  private record Look(
      String locale, String title, String message, int width, ColorScheme colours) {}

  @Test
  void theRoomSpeaksThreeLanguagesAndSaysEarlyThatTheStockWillNotReach() {
    room("texts", ", \"challenge\": false");
    assertThat(Visitor.join("texts").enter("texts")).isNotEmpty();
    for (int i = 0; i < 3; i++) {
      assertThat(Visitor.join("texts").place()).isNotEmpty();
    }
    server.admin(
        "PATCH",
        "/rooms/texts",
        """
        {"titles": {"en": "The Tour", "zh-Hant": "巡迴演唱會", "zh-Hans": "巡回演唱会"},
         "messages": {"en": "Doors open at eight.", "zh-Hant": "八點開門。", "zh-Hans": "八点开门。"},
         "logo_url": "/assets/icon.svg"}
        """);
    server.admin("PUT", "/rooms/texts/stock", "{\"left\": 1, \"per_visitor\": 1}");
    Eventually.await(
        "the head has the stock and the message",
        () -> {
          String head = server.call("GET", "/q/texts/head", "").body();
          return head.contains("\"p90\"") && head.contains("Doors open");
        });
    for (Look look :
        List.of(
            new Look("en", "The Tour", "Doors open at eight.", 1_280, ColorScheme.DARK),
            new Look("zh-TW", "巡迴演唱會", "八點開門。", 360, ColorScheme.LIGHT),
            new Look("zh-CN", "巡回演唱会", "八点开门。", 360, ColorScheme.DARK))) {
      Page page = open(look);
      page.waitForSelector(".note.warn:not([hidden])");
      page.waitForSelector("text=" + look.message());
      assertThat(page.textContent("h1")).isEqualTo(look.title());
      assertThat(page.locator(".logo").getAttribute("src")).isEqualTo("/assets/icon.svg");
      assertThat(barriers(page)).isEmpty();
      shoot(page, "room-3-" + look.locale());
    }
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }

  private Page open(Look look) {
    Page page =
        chromium.page(
            new Browser.NewContextOptions()
                .setViewportSize(look.width(), 800)
                .setBypassCSP(true)
                .setColorScheme(look.colours()),
            server.baseUrl(),
            look.locale());
    // The first head may be older than the place.
    Chromium.hurry(page);
    page.navigate("/q/texts/");
    return page;
  }

  @Test
  void thePageOfADeletedRoomSaysThatItHasEndedAndLeadsToTheShop() {
    room("over", ", \"challenge\": false");
    assertThat(Visitor.join("over").enter("over")).isNotEmpty();
    Page page = hurried("/q/over/");
    page.waitForSelector("#room[data-ahead='0']");
    assertThat(page.locator("#room a:visible").count()).isZero();
    server.admin("DELETE", "/rooms/over", "");
    page.waitForSelector("#room[data-stage='ended']");
    assertThat(page.textContent("#room")).contains("has ended").doesNotContain("kept");
    assertThat(page.getAttribute("#room a:visible", "href")).isEqualTo(server.baseUrl() + "/docs");
    assertThat(page.locator("#room button:visible").count()).isZero();
    shoot(page, "room-6-deleted");
    chromium.forgive();
  }

  @Test
  void aVisitorInsideGetsNoSecondPlaceAndIsToldSo() {
    room("twice", ", \"challenge\": false");
    Page page = hurried("/q/twice/");
    page.waitForURL("**/docs");
    page.evaluate("localStorage.clear()");
    page.navigate("/q/twice/");
    page.waitForSelector("#room[data-stage='inside']");
    assertThat(page.getAttribute("#room a:visible", "href")).isEqualTo(server.baseUrl() + "/docs");
    chromium.forgive();
  }

  @Test
  void thePagesScriptComputesPlacesAsTheServerDoes() {
    room("script", "");
    Page page = open("/docs", true);
    String vector =
        """
        async () => {
          const { ahead } = await import('/assets/position.js');
          const head = { block: 2, cursor: 5, gone: [0, 1, 2, 1], rate: [], last: 14 };
          const tiles = [0x06, 0x02, 0x06, 0x02].map((bits) => new Uint8Array([bits]));
          const old = ahead(29, head, null);
          return [6, 7, 8, 11, 12].map((t) => ahead(t, head, tiles[Math.floor(t / 4)])).concat(old);
        }
        """;
    // The last one joined after the head was made: its block is not in it yet.
    assertThat(page.evaluate(vector)).isEqualTo(List.of(0, 1, 2, 3, 4, 20));
    String seed = "ab".repeat(32);
    String drawn =
        """
        async (drawn) => {
          const { drawn: place } = await import('/assets/position.js');
          return Promise.all([...Array(40).keys()].map((t) => place(t, drawn)));
        }
        """;
    TicketOrder order = new TicketOrder(seed, 37);
    List<Integer> expected = new ArrayList<>();
    for (int ticket = 0; ticket < 40; ticket++) {
      expected.add((int) order.of(ticket));
    }
    assertThat(page.evaluate(drawn, Map.of("n", 37, "seed", seed))).isEqualTo(expected);
  }

  @Test
  void theScriptForOtherPagesSendsVisitorsToTheRoom() {
    room("soft", "");
    Page page = open("/docs", true);
    page.addScriptTag(new Page.AddScriptTagOptions().setUrl("/q/soft/room.js"));
    page.waitForURL("**/q/soft/?url=*");
    chromium.forgive();
  }

  @Test
  void withoutJavaScriptAVisitorWaitsOnThePageOfTheBlockAndEnters() {
    room("plain", ", \"challenge\": false");
    String first = Visitor.join("plain").enter("plain");
    Page page = open("/q/plain/", false);
    page.waitForRequest(
        request -> request.url().endsWith("/q/plain/dot.gif"),
        () -> page.click("form .button.primary"));
    assertThat(page.url()).endsWith("/q/plain/wait/0");
    assertThat(page.textContent("main")).contains("You are in line");
    shoot(page, "room-2-nojs");
    assertThat(page.content()).contains(REFRESH);
    refreshesItself(page);
    page.click("form .button.primary");
    assertThat(page.url()).as("too early: back to the same page").endsWith("/q/plain/wait/0");
    release("plain", first);
    Eventually.await(
        "the visitor enters",
        () -> {
          if (page.url().contains("/wait/")) {
            page.click("form .button.primary");
          } else if (!page.url().endsWith("/docs")) {
            // The server was too busy.
            page.navigate("/q/plain/wait/0");
          }
          return page.url().endsWith("/docs");
        });
    assertThat(page.context().cookies())
        .anyMatch(cookie -> cookie.name.equals("fairgate_pass_plain") && cookie.httpOnly);
    assertThat(server.call("GET", "/q/plain/wait/9", "").headers().allValues("set-cookie"))
        .as("the page of a block is the same for everybody")
        .isEmpty();
  }

  /// Chromium obeys the refresh of the page, which is made shorter here.
  private static void refreshesItself(Page page) {
    page.route(
        "**/q/plain/wait/0",
        route -> {
          APIResponse answer = route.fetch();
          route.fulfill(
              new Route.FulfillOptions()
                  .setResponse(answer)
                  .setBody(answer.text().replace(REFRESH, "http-equiv=\"refresh\" content=\"1\"")));
        },
        new Page.RouteOptions().setTimes(1));
    AtomicInteger loads = new AtomicInteger();
    page.waitForRequest(
        request -> request.url().endsWith("/q/plain/wait/0") && loads.incrementAndGet() == 2,
        () -> page.navigate("/q/plain/wait/0"));
    page.waitForLoadState();
  }

  @Test
  void aRefusedVisitorReadsWhyAndMayAppeal() {
    room("crowd", "");
    Page page = open("/docs", true);
    page.route(
        url -> url.endsWith("/q/crowd/join"),
        route ->
            route.fulfill(
                new Route.FulfillOptions()
                    .setStatus(409)
                    .setContentType("application/json")
                    .setBody(
                        """
                        {"success": false, "error": "NETWORK_LIMIT_REACHED",
                         "message": "Too many places are held from your network.",
                         "appeal_url": "/appeal/x"}
                        """)));
    page.navigate("/q/crowd/");
    page.waitForSelector("#room[data-stage='refused']");
    assertThat(page.textContent("#room"))
        .contains("You have no place yet", "Too many places are held from your network.");
    assertThat(page.getAttribute("#room a:visible", "href")).isEqualTo("/appeal/x");
    shoot(page, "room-3-refused");
  }

  @Test
  void aVisitorWhoCannotSolveTheChallengeMayAppeal() {
    room("unsolved", "");
    Page page = open("/docs", true);
    page.route(
        url -> url.contains("/api/challenge?"),
        route ->
            route.fulfill(
                new Route.FulfillOptions()
                    .setContentType("application/json")
                    .setBody("{\"provider\": \"turnstile\", \"site_key\": \"x\"}")));
    page.route(url -> url.startsWith("https://challenges."), Route::abort);
    page.navigate("/q/unsolved/");
    page.waitForSelector("#room[data-stage='refused']");
    assertThat(page.getAttribute("#room a:visible", "href")).startsWith("/appeal/");
    chromium.forgive();
  }
}
