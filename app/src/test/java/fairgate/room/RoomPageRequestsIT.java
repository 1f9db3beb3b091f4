package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// What the waiting page asks, how often, and how it goes on when an answer is missing.
class RoomPageRequestsIT extends RoomScene {
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
    Page page = hurried("/q/lost/");
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
    release("lost", first);
    Eventually.await(
        "the browser shows that there was no answer",
        () -> {
          page.waitForTimeout(20);
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
