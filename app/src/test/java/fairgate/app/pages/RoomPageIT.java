package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.kernel.TicketOrder;
import fairgate.room.token.KeyBinding;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The waiting page in Chromium, with and without JavaScript.
class RoomPageIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final Chromium chromium = new Chromium();

  @BeforeAll
  static void start() {
    TestEngines.shared().flushRedis();
    server =
        TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void close() {
    chromium.close();
  }

  private static void room(String id, String more) {
    server.admin(
        "PUT",
        "/rooms/" + id,
        """
        {"hosts": ["127.0.0.1"], "mode": "on", "capacity": 1, "rate": 1000,
         "titles": {"en": "The Tour"}, "return_url": "%s/docs"%s}
        """
            .formatted(server.baseUrl(), more));
    Eventually.await(
        "the room has a head",
        () -> server.call("GET", "/q/" + id + "/head", "").statusCode() == 200);
  }

  /// A visitor without a browser.
  private record Visitor(String place, String secret) {
    static Visitor join(String room) {
      byte[] secret = new byte[32];
      String hold = KeyBinding.ofSecret(secret).value();
      HttpResponse<String> joined =
          server.call(
              "POST",
              "/q/" + room + "/join",
              "{\"turnstile_token\": \"XXXX.DUMMY.TOKEN.XXXX\", \"hold\": \"" + hold + "\"}");
      assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
      String text = Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
      return new Visitor(text(joined.body(), "place"), text);
    }

    String body() {
      return "{\"place\": \"" + place + "\", \"secret\": \"" + secret + "\"}";
    }

    /// Enters, and returns the cookie with the pass.
    String enter(String room) {
      HttpResponse<String> entered =
          Eventually.get(
              "the turn has come",
              () ->
                  server.call(
                      "POST", "/q/" + room + "/enter", body(), "Accept", "application/json"),
              answer -> answer.statusCode() == 200);
      URI location = URI.create(text(entered.body(), "location"));
      HttpResponse<String> passed =
          server.call("GET", location.getRawPath() + '?' + location.getRawQuery(), "");
      String cookie =
          passed.headers().allValues("set-cookie").stream()
              .filter(it -> it.startsWith("fairgate_pass_"))
              .findFirst()
              .orElseThrow();
      return cookie.substring(0, cookie.indexOf(';'));
    }
  }

  private static String text(String json, String field) {
    try {
      return JSON.readTree(json).path(field).asText();
    } catch (IOException e) {
      throw new AssertionError(json, e);
    }
  }

  private Page open(String path, boolean script) {
    Page page =
        chromium.page(
            new Browser.NewContextOptions()
                .setViewportSize(390, 800)
                .setBypassCSP(true)
                .setJavaScriptEnabled(script),
            server.baseUrl(),
            "en");
    page.navigate(path);
    return page;
  }

  @Test
  void aBrowserWaitsSeesItsPlaceAndEntersWithItsOwnKey() {
    room("tour", "");
    String first = Visitor.join("tour").enter("tour");
    Visitor second = Visitor.join("tour");
    Page page = open("/q/tour/", true);
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
    assertThat(server.call("POST", "/q/tour/leave", second.body()).statusCode()).isEqualTo(204);
    page.waitForSelector("#room[data-ahead='0']");
    assertThat(server.call("POST", "/q/tour/release", "", "Cookie", first).statusCode())
        .isEqualTo(204);
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
    page.navigate("/q/texts/");
    return page;
  }

  /// Gives the page other heads: the real one with these members.
  private static void head(Page page, Supplier<String> members) {
    page.route(
        url -> url.endsWith("/head"),
        route -> {
          try {
            ObjectNode head = (ObjectNode) JSON.readTree(route.fetch().text());
            head.setAll((ObjectNode) JSON.readTree(members.get()));
            route.fulfill(
                new Route.FulfillOptions()
                    .setContentType("application/json")
                    .setBody(head.toString()));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @Test
  void aPlaceThatTheHeadDoesNotKnowGetsNoWordOnTheStock() {
    room("stock", ", \"challenge\": false");
    assertThat(Visitor.join("stock").enter("stock")).isNotEmpty();
    AtomicReference<String> members = new AtomicReference<>("");
    String form = "{\"last\": %d, \"stock\": {\"left\": %d, \"p50\": %d, \"p90\": %d}}";
    Page page = open("/docs", true);
    head(page, members::get);
    // The page's ticket is 1.
    for (Object[] told :
        new Object[][] {
          {form.formatted(1, 0, 1, 1), ""},
          {form.formatted(2, 0, 1, 1), "Everything is sold."},
          {
            form.formatted(2, 5, 0, 1),
            "Items left: 5. They will very probably be gone before your turn."
          },
          {form.formatted(2, 5, 1, 2), "Items left: 5. They may be gone before your turn."},
          {form.formatted(2, 5, 2, 2), ""},
          {"{\"last\": 2}", ""}
        }) {
      members.set((String) told[0]);
      page.navigate("/q/stock/");
      page.waitForSelector("#room[data-ahead='0']");
      Eventually.await(
          told[0] + " says: " + told[1],
          () -> told[1].equals(page.textContent("#room .note.warn")));
      assertThat(page.locator("#room .note.warn:visible").count())
          .isEqualTo(((String) told[1]).isEmpty() ? 0 : 1);
    }
  }

  /// The slot is reserved for a while only. All waits of the page are recorded and cut short.
  @Test
  void aPageWhoseTurnHasComeTriesAgainWithinFiveSeconds() {
    room("turn", ", \"challenge\": false");
    Page page = open("/docs", true);
    page.addInitScript(
        """
        window.pauses = [];
        const timer = window.setTimeout.bind(window);
        window.setTimeout = (step, ms) => { window.pauses.push(ms ?? 0); return timer(step, Math.min(ms ?? 0, 20)); };
        Math.random = () => 0.999;
        """);
    page.route(
        url -> url.endsWith("/q/turn/enter"),
        route ->
            route.fulfill(
                new Route.FulfillOptions()
                    .setStatus(409)
                    .setContentType("application/json")
                    .setBody(
                        "{\"success\": false, \"error\": \"NOT_YOUR_TURN\", \"retry_after\": 1}")));
    List<String> heads = new ArrayList<>();
    AtomicBoolean away = new AtomicBoolean();
    page.route(
        url -> url.endsWith("/q/turn/head"),
        route -> {
          heads.add(route.request().url());
          if (away.get()) {
            route.abort();
          } else {
            route.resume();
          }
        });
    page.navigate("/q/turn/");
    page.waitForSelector("#room[data-stage='turn']");
    away.set(true);
    int before = heads.size();
    Eventually.await(
        "a dozen tries",
        () -> {
          page.waitForTimeout(20);
          return heads.size() > before + 12;
        });
    assertThat(((Number) page.evaluate("Math.max(...window.pauses)")).doubleValue())
        .isLessThanOrEqualTo(5_000);
    // Else the page would ask again while the browser closes.
    page.navigate("/docs");
    chromium.forgive();
  }

  @Test
  void thePageOfADeletedRoomSaysThatItHasEndedAndLeadsToTheShop() {
    room("over", ", \"challenge\": false");
    assertThat(Visitor.join("over").enter("over")).isNotEmpty();
    Page page = open("/q/over/", true);
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
    Page page = open("/q/twice/", true);
    page.waitForURL("**/docs");
    page.evaluate("localStorage.clear()");
    page.navigate("/q/twice/");
    page.waitForSelector("#room[data-stage='inside']");
    assertThat(page.getAttribute("#room a:visible", "href")).isEqualTo(server.baseUrl() + "/docs");
    chromium.forgive();
  }

  @Test
  void aHiddenPageDoesNotPollUntilItIsSeenAgain() {
    room("hidden", "");
    assertThat(Visitor.join("hidden").enter("hidden")).isNotEmpty();
    List<String> looks = new ArrayList<>();
    Page page = open("/docs", true);
    page.clock().install();
    page.navigate("/q/hidden/");
    page.waitForSelector("#room[data-ahead='0']");
    page.evaluate(
        "Object.defineProperty(document, 'hidden', {get: () => window.away, configurable: true})");
    page.evaluate("window.away = true");
    page.onRequest(
        request -> {
          if (request.url().endsWith("/head")) {
            looks.add(request.url());
          }
        });
    // The look that was planned before the page was hidden may still happen.
    Eventually.await(
        "five minutes pass without a look",
        () -> {
          int before = looks.size();
          for (int minute = 0; minute < 5; minute++) {
            page.clock().runFor(60_000);
          }
          return looks.size() == before;
        });
    int before = looks.size();
    page.evaluate("window.away = false");
    page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    Eventually.await(
        "the page looks again",
        () -> {
          page.clock().runFor(100);
          return looks.size() > before;
        });
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
    assertThat(page.content()).contains("http-equiv=\"refresh\"");
    page.waitForRequest(request -> request.url().endsWith("/q/plain/wait/0"), () -> {});
    page.click("form .button.primary");
    assertThat(page.url()).as("too early: back to the same page").endsWith("/q/plain/wait/0");
    assertThat(server.call("POST", "/q/plain/release", "", "Cookie", first).statusCode())
        .isEqualTo(204);
    Eventually.await(
        "the visitor enters",
        () -> {
          if (page.url().contains("/wait/")) {
            page.click("form .button.primary");
          }
          return page.url().endsWith("/docs");
        });
    assertThat(page.context().cookies())
        .anyMatch(cookie -> cookie.name.equals("fairgate_pass_plain") && cookie.httpOnly);
    assertThat(server.call("GET", "/q/plain/wait/9", "").headers().allValues("set-cookie"))
        .as("the page of a block is the same for everybody")
        .isEmpty();
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

  /// A crowd that waits for an opening which does not come asks more seldom with time. The clock of
  /// the page stands still, and all its waits are recorded and cut short.
  @Test
  void theLongerAnOpeningIsLateTheMoreSeldomAPageAsks() {
    room("late", ", \"challenge\": false");
    AtomicReference<String> members = new AtomicReference<>("");
    Page page = open("/docs", true);
    page.addInitScript(
        """
        window.pauses = [];
        const timer = window.setTimeout.bind(window);
        window.setTimeout = (step, ms) => { window.pauses.push(ms ?? 0); return timer(step, Math.min(ms ?? 0, 20)); };
        Math.random = () => 0;
        Date.now = () => 1800000000000;
        """);
    head(page, members::get);
    int opens = 1_800_000_000;
    // Seconds after the opening, and the wait until the next look, ms.
    for (int[] wait :
        new int[][] {
          {-3, 3_000}, {0, 500}, {2, 500}, {60, 6_000}, {300, 30_000}, {9_000, 45_000}
        }) {
      members.set(
          """
          {"phase": "before", "order": "shuffle", "opens": %d, "poll": {"min": 1000, "max": 45000}}
          """
              .formatted(opens - wait[0]));
      page.navigate("/q/late/");
      page.waitForSelector("#room[data-stage='before']");
      Eventually.await(
          "three looks, " + wait[0] + " s after the opening",
          () -> {
            page.waitForTimeout(20);
            return ((Number) page.evaluate("pauses.filter((ms) => ms === " + wait[1] + ").length"))
                    .intValue()
                >= 3;
          });
      assertThat(page.evaluate("pauses.filter((ms) => ms >= 500 && ms !== " + wait[1] + ")"))
          .as("%s s after the opening", wait[0])
          .isEqualTo(List.of());
    }
    // Else the page would ask again while the browser closes.
    page.navigate("/docs");
    chromium.forgive();
  }

  /// The answer to the exchange is lost: the page enters again, in the same slot.
  @Test
  void aVisitorWhoseAnswerWasLostDoesNotLoseThePlace() {
    room("lost", "");
    String first = Visitor.join("lost").enter("lost");
    Page page = open("/q/lost/", true);
    page.waitForSelector("#room[data-ahead='0']");
    List<String> turns = new ArrayList<>();
    page.route(
        url -> url.contains("/q/lost/pass?"),
        route -> {
          if (turns.isEmpty()) {
            // The turn is used up, and nobody gets its pass.
            assertThat(server.call("GET", path(route.request().url()), "").statusCode())
                .isEqualTo(303);
            route.abort();
          } else {
            route.resume();
          }
          turns.add(route.request().url());
        });
    assertThat(server.call("POST", "/q/lost/release", "", "Cookie", first).statusCode())
        .isEqualTo(204);
    Eventually.await(
        "the browser shows that there was no answer",
        () -> {
          page.waitForTimeout(100);
          return page.url().startsWith("chrome-error:");
        });
    page.navigate("/q/lost/");
    page.waitForURL("**/docs");
    assertThat(turns).hasSize(2);
    assertThat(page.context().cookies())
        .anyMatch(cookie -> cookie.name.equals("fairgate_pass_lost"));
    chromium.forgive();
  }

  private static String path(String url) {
    URI uri = URI.create(url);
    return uri.getRawPath() + '?' + uri.getRawQuery();
  }
}
