package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.WaitForSelectorState;
import fairgate.kernel.Role;
import fairgate.operator.access.TestOperator;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/// The tasks of an operator in the worst hour, in Chromium, the first ones on a fresh server.
/// Prints clicks, fields and seconds of each task; the seconds are the machine's and have no
/// thinking in them.
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsoleTasksIT extends ConsoleScene {
  private static final String NAME = "夜貓演唱會 Night Owl";

  private static final String JOIN =
      """
      {"product_id": "%s", "turnstile_token": "XXXX.DUMMY.TOKEN.XXXX"}
      """;

  /// The list of sales loads again after so many milliseconds.
  private static final int LIST_MS = 5_000;

  private static final String THREE_PLACES =
      """
      () => ['waiting', 'active']
        .map((name) => Number(document.querySelector('.tile.' + name + ' dd').textContent))
        .reduce((sum, each) => sum + each) === 3
      """;

  private final List<String> figures = new ArrayList<>();

  /// One task, measured from its first act to the sign that it is done.
  private final class Task {
    private final Page page;
    private final String name;
    private final long startedAt = System.nanoTime();
    private int clicks;
    private int fields;

    Task(Page page, String name) {
      this.page = page;
      this.name = name;
    }

    Task click(String selector) {
      clicks++;
      page.click(selector);
      return this;
    }

    Task fill(String selector, String text) {
      fields++;
      page.fill(selector, text);
      return this;
    }

    Task expect(String selector, String text) {
      assertThat(page.textContent(selector)).isEqualTo(text);
      return this;
    }

    void doneWhen(String selector) {
      page.waitForSelector(selector);
      double seconds = (System.nanoTime() - startedAt) / 1e9;
      figures.add(
          String.format(Locale.ROOT, "| %s | %d | %d | %.1f |", name, clicks, fields, seconds));
    }
  }

  private Page console(TestOperator operator, Browser.NewContextOptions options, String locale) {
    Page page = chromium.page(options.setBypassCSP(true), server.baseUrl(), locale);
    Chromium.signIn(page, server, operator);
    return page;
  }

  private static Browser.NewContextOptions desktop() {
    return new Browser.NewContextOptions().setViewportSize(1280, 860);
  }

  private static Browser.NewContextOptions phone() {
    return new Browser.NewContextOptions().setViewportSize(360, 740);
  }

  private static void join(Page page) {
    page.navigate("/p/1");
    Chromium.join(page);
    page.waitForSelector("#panel .place strong");
  }

  private static HttpResponse<String> joinByProgram(String sale) {
    return server.callUntilAccepted("POST", "/api/queue/join", JOIN.formatted(sale));
  }

  @Test
  @Order(1)
  void anOperatorMakesWatchesSteersAndEndsASale() {
    Page page = console(owner, desktop(), "en");
    page.navigate("/console");
    page.waitForSelector(".nothing");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-sales-empty");

    new Task(page, "create a sale")
        .click("a[href='/console/sales/new']")
        .fill("[name=name]", NAME)
        .fill("[name=price]", "2800")
        .fill("[name=total_stock]", "2")
        .click(".sale-form .button.primary")
        .doneWhen("#act-open");
    assertThat(server.admin("GET", "/products/1", ""))
        .contains("\"price\":280000", "\"total_stock\":2", "\"payment\":\"required\"");

    page.waitForSelector(".tile.free dd:text-is('2')");
    assertThat(page.textContent(".tile.free dt")).isEqualTo("Free at the opening");
    page.navigate("/console");
    page.waitForSelector("td:has-text('2 at the opening')");
    page.navigate("/console/sales/1");

    Page buyer = chromium.page(phone(), server.baseUrl(), "zh-TW");
    Page second = chromium.page(phone(), server.baseUrl(), "en");
    join(buyer);
    join(second);

    new Task(page, "open it").click("#act-open").click("dialog .primary").doneWhen("#act-pause");
    page.navigate("/console");
    new Task(page, "watch it")
        .click("a[href='/console/sales/1']")
        .doneWhen(".tile.ready dd:text-is('1')");
    assertThat(page.textContent(".tile.free dd")).isEqualTo("2");
    assertThat(page.textContent(".tile.free dt")).isEqualTo("Free");
    assertThat(barriers(page)).isEmpty();

    pauseWithAMessage(page, second);

    new Task(page, "add stock")
        .click("#act-stock")
        .fill("[name=quantity]", "2.5")
        .expect("dialog .effect", "")
        .fill("[name=quantity]", "40")
        .click("dialog .primary")
        .doneWhen(".tile.free dd:text-is('42')");
    new Task(page, "resume it")
        .click("#act-resume")
        .click("dialog .primary")
        .doneWhen("#act-pause");
    second.waitForSelector(".notice[hidden]", attached());

    new Task(page, "change the pace, with undo")
        .click("#act-rate")
        .fill("[name=ready_slots]", "5")
        .click("dialog .primary")
        .doneWhen(".toast .button:has-text('Undo')");
    page.waitForSelector(".tile.ready dd:text-is('2')");
    shoot(page, "console-live");
    page.click(".toast .button:has-text('Undo')");
    page.waitForSelector(".toast:has-text('Undone')");
    assertThat(server.admin("GET", "/products/1", "")).contains("\"ready_slots\":1");

    new Task(page, "stop new joins (drain)")
        .click("#act-drain")
        .click("dialog .primary")
        .doneWhen("#act-undrain");
    assertThat(joinByProgram("1").body()).contains("JOINS_STOPPED");

    new Task(page, "change the price of the open sale")
        .click("a[href='/console/sales/1/edit']")
        .fill("[name=price]", "3000")
        .click(".sale-form .button.primary")
        .fill("dialog [name=typed]", NAME)
        .click("dialog .danger")
        .doneWhen("#act-pause");
    assertThat(server.admin("GET", "/products/1", "")).contains("\"price\":300000");

    closeAndReport(page);
    figures.forEach(System.out::println);
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }

  /// @param second the page of a buyer who waits, in English
  private void pauseWithAMessage(Page page, Page second) {
    new Task(page, "pause it with a message")
        .click("#act-pause")
        .fill("[name=en]", "The payment provider is slow. We go on at 9 pm.")
        .fill("[name=zh-Hant]", "金流較慢，晚上 9 點繼續。")
        .click("dialog .primary")
        .doneWhen("#act-resume");
    long sentAt = System.nanoTime();
    second.waitForSelector(".notice:has-text('We go on at 9 pm.')");
    figures.add(
        String.format(
            Locale.ROOT, "message shown after %.2f s", (System.nanoTime() - sentAt) / 1e9));
    shoot(second, "console-notice-buyer");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-live-paused");
    // A visitor without JavaScript sees it, too.
    Page plain = chromium.page(phone().setJavaScriptEnabled(false), server.baseUrl(), "zh-TW");
    plain.context().addCookies(second.context().cookies());
    plain.navigate("/p/1");
    assertThat(plain.textContent("main")).contains("金流較慢");
  }

  private void closeAndReport(Page page) {
    new Task(page, "close it")
        .click("#act-close")
        .fill("dialog [name=reason]", "The evening is over")
        .fill("dialog [name=typed]", NAME)
        .click("dialog .danger")
        .doneWhen(".state-line .badge.closed");
    Eventually.await(
        "the course is in the report",
        () -> {
          String report = server.admin("GET", "/products/1/report", "");
          return report.contains("\"wait_seconds\"") && report.contains("products/1/close");
        });
    new Task(page, "read the report")
        .click("a[href='/console/sales/1/report']")
        .doneWhen(".list:has-text('The sale is closed.')");
    assertThat(page.textContent("main")).contains("The sale is paused.", "owner");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-report");
    assertThat(server.admin("GET", "/products/1/report.csv", ""))
        .contains("minute,joined", "incident,POST /api/admin/products/1/pause");
  }

  private static Page.WaitForSelectorOptions attached() {
    return new Page.WaitForSelectorOptions().setState(WaitForSelectorState.ATTACHED);
  }

  private static void policy(String sale, String change) {
    String _ = server.admin("PATCH", "/products/" + sale, "{\"policy\": " + change + "}");
  }

  @Test
  void aSaleThatItsClockOpensAndClosesIsSteeredAsAnyOther() {
    server.createProduct(
        "200", 9, "{\"preset\":\"queue\",\"payment\":\"required\",\"places_per_ip\":null}");
    Page form = console(owner, desktop(), "en");
    form.navigate("/console/sales/200/edit");
    form.fill("[name=price]", "30");
    Page page = console(owner, desktop(), "en");
    List<String> loads = new ArrayList<>();
    page.onRequest(
        request -> {
          if (request.url().endsWith("/products/200")) {
            loads.add(request.url());
          }
        });
    page.addInitScript(Chromium.WATCHED_STREAMS);
    page.navigate("/console/sales/200");
    page.waitForSelector(".link.live");
    page.waitForSelector("#act-open");
    Chromium.hide(page, true);
    page.waitForFunction("streams.every(each => each.readyState === 2)");
    policy("200", "{\"opens_at\": \"2020-01-01T00:00:00Z\"}");
    Chromium.hide(page, false);
    page.waitForSelector("#act-pause");
    page.waitForSelector(".state-line .badge.open");
    // The form was read while the sale was scheduled.
    String _ = server.admin("PATCH", "/products/200", "{\"name\": \"Night\"}");
    saveWhileSignedOut(form);

    for (int i = 0; i < 3; i++) {
      assertThat(joinByProgram("200").statusCode()).isEqualTo(200);
    }
    page.waitForSelector(".tile.ready dd:text-is('1')");
    page.waitForFunction(THREE_PLACES);
    assertThat(page.textContent(".last-visitor")).isNotEqualTo("Nobody is in line.");
    page.click("#act-close");
    assertThat(page.textContent("dialog"))
        .contains("People who lose their places: 3 (buying now: 1).");
    page.keyboard().press("Escape");
    policy("200", "{\"closes_at\": \"2020-01-02T00:00:00Z\"}");
    page.waitForSelector(".state-line .badge.closed");
    assertThat(loads).as("one load for each state").hasSize(3);
    assertThat(server.admin("GET", "/products/200", ""))
        .contains("\"price\":3000", "\"name\":\"Night\"");
    chromium.forgive();
  }

  /// An operator whose session has ended keeps what is typed, and what somebody else has changed.
  private void saveWhileSignedOut(Page form) {
    form.context().clearCookies();
    form.click(".sale-form .button.primary");
    form.waitForSelector("#signed-out a[href='/console/sign-in'][target=_blank]");
    assertThat(form.inputValue("[name=price]")).isEqualTo("30");
    assertThat(form.url()).endsWith("/console/sales/200/edit");
    shoot(form, "console-signed-out");
    Chromium.signIn(form, server, owner);
    form.click(".sale-form .button.primary");
    form.waitForSelector("#theirs:has-text('Name, Opens at')");
    assertThat(form.isVisible("#signed-out")).isFalse();
    assertThat(barriers(form)).isEmpty();
    form.fill("dialog [name=typed]", "Night");
    form.click("dialog .danger");
    form.waitForSelector("#act-pause");
  }

  @Test
  void aPageFollowsTheStreamOnceEvenIfAnAnswerIsBehindAndTheListSaysThatItIsOld() {
    server.createProduct("300", 9, "{\"preset\":\"queue\",\"opens_at\":\"2020-01-01T00:00:00Z\"}");
    Page page = console(owner, desktop(), "en");
    List<String> loads = new ArrayList<>();
    page.route(
        url -> url.endsWith("/api/admin/products/300"),
        route -> {
          loads.add(route.request().url());
          APIResponse answer = route.fetch();
          route.fulfill(
              new Route.FulfillOptions()
                  .setResponse(answer)
                  .setBody(answer.text().replace("\"state\":\"open\"", "\"state\":\"scheduled\"")));
        });
    page.navigate("/console/sales/300");
    page.waitForSelector(".state-line .badge.open");
    // More events of the stream change nothing.
    assertThat(joinByProgram("300").statusCode()).isEqualTo(200);
    page.waitForSelector(".tile.ready dd:text-is('1')");
    assertThat(loads).hasSize(2);

    page.clock().install();
    page.navigate("/console");
    page.waitForSelector(".list");
    page.route(url -> url.endsWith("/products?live=true"), Route::abort);
    page.clock().fastForward(LIST_MS);
    page.waitForSelector("#old:has-text('The numbers are old')");
    page.unrouteAll();
    page.clock().fastForward(LIST_MS);
    page.waitForSelector("#old", hidden());
    chromium.forgive();
  }

  private static Page.WaitForSelectorOptions hidden() {
    return new Page.WaitForSelectorOptions().setState(WaitForSelectorState.HIDDEN);
  }

  @Test
  void refusalsStandAtTheirFieldAndSmallScreensFit() {
    server.createProduct("400", 50, "{\"preset\":\"queue\",\"places_per_ip\":null}");
    String _ = server.admin("PATCH", "/products/400", "{\"name\":\"" + NAME + "\"}");
    server.createProduct("401", 9, "{\"preset\":\"queue\"}");
    server.openSale("400");
    for (int i = 0; i < 12; i++) {
      assertThat(joinByProgram("400").statusCode()).isEqualTo(200);
    }
    Page page = console(owner, desktop(), "en");
    for (Chromium.Look each : Chromium.LOOKS) {
      String locale = each.locale();
      String end = "-" + locale + "-" + each.width();
      Chromium.look(page, server, each);
      page.navigate("/console");
      page.waitForSelector(".list");
      shoot(page, "console-sales" + end);
      Chromium.go(page, "/console/sales/400");
      page.waitForSelector(".link.live");
      page.waitForSelector(".tile.free dd:not(:text-is('–'))");
      assertThat(barriers(page)).as(locale).isEmpty();
      shoot(page, "console-live" + end);
      page.click("#act-close");
      assertThat(barriers(page)).as(locale).isEmpty();
      shoot(page, "console-close" + end);
      page.keyboard().press("Escape");
      Chromium.go(page, "/console/sales/400/edit");
      page.waitForSelector(".sale-form");
      page.fill("[name=currency]", "XX");
      page.fill("[name=name]", "x");
      page.click(".sale-form .button.primary");
      page.waitForSelector("dialog .diff");
      assertThat(barriers(page)).as(locale).isEmpty();
      shoot(page, "console-diff" + end);
      page.keyboard().press("Escape");
      page.fill("[name=currency]", "TWD");
      page.fill("[name='policy.closes_at']", "2020-01-01T10:00:30");
      page.fill("[name='policy.opens_at']", "2020-01-01T11:00:30");
      page.click(".sale-form .button.primary");
      page.click("dialog .primary");
      page.waitForSelector("[name='policy.closes_at'][aria-invalid=true]");
      assertThat(page.textContent(".field-problem:not([hidden])"))
          .as("a refusal has the names of the form")
          .doesNotContain("_at");
      assertThat(barriers(page)).as(locale).isEmpty();
      shoot(page, "console-form" + end);
      Chromium.go(page, "/console/sales/400/report");
      page.waitForSelector(".list:visible");
      assertThat(barriers(page)).as(locale).isEmpty();
      shoot(page, "console-report" + end);
    }
    chromium.forgive();
  }

  @Test
  void theKeyboardIsEnoughAndAViewerOnlyWatches() {
    server.createProduct("500", 50, "{\"preset\":\"flash\"}");
    TestOperator viewer = TestOperator.add(server, "viewer", Role.VIEWER);
    Page page = console(viewer, desktop(), "en");
    page.navigate("/console/me");
    page.waitForSelector("#own-sessions");
    page.keyboard().press("?");
    page.waitForSelector("dialog .keys");
    shoot(page, "console-keys");
    page.keyboard().press("Escape");
    Chromium.shortcut(page, "gs", "/console/sales");
    page.waitForSelector("a[href='/console/sales/500']");
    page.keyboard().press("Control+k");
    page.waitForSelector(".palette li:has-text('Ticket')");
    page.keyboard().type("tick");
    shoot(page, "console-palette");
    assertThat(barriers(page)).isEmpty();
    page.keyboard().press("Enter");
    page.waitForSelector(".link.live");
    assertThat(page.locator(".acts").count()).isZero();
    assertThat(page.locator("a[href$='/edit']").count()).isZero();
    // The stream ends with the session.
    String id =
        viewer
            .call("GET", "/sessions", "")
            .body()
            .replaceFirst("(?s).*\"id\":\"(os_[^\"]+)\".*", "$1");
    assertThat(viewer.call("DELETE", "/sessions/" + id, "").statusCode()).isLessThan(300);
    page.waitForSelector(".link.lost:has-text('signed out')");
    page.waitForSelector("#signed-out a[href='/console/sign-in'][target=_blank]");
    chromium.forgive();
  }
}
