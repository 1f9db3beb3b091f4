package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.gate.policy.PolicyWorld;
import fairgate.kernel.Role;
import fairgate.operator.access.TestOperator;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeGateway;
import fairgate.testkit.FakeGateway.Paid;
import fairgate.testkit.WebhookReceiver;
import java.net.URI;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What an operator does for and about a buyer, in Chromium: find the order, refund a part of it,
/// block the browser, and lift the block on appeal. The log has the steps and seconds of each task.
class ConsoleServiceIT {
  private static final Logger LOG = LoggerFactory.getLogger(ConsoleServiceIT.class);
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final String SALE = "7";

  /// When an answer was lost, a page looks again and again after so many milliseconds.
  private static final int LOOK_MS = 1_000;

  /// A receipt in the reply about an order, without the start of its list.
  private static final String NOWHERE =
      """
      {"event": "paid", "state": "no_contact", "channel": null, "rounds": 1,
       "created_at": 1700000000000}]
      """;

  private static final String POLICY =
      """
      {"preset": "queue", "payment": "required", "payment_window_seconds": 600,
       "active_capacity": 50, "ready_slots": 50, "places_per_ip": null, "units_per_ip": null}
      """;

  @SuppressWarnings("NullAway.Init")
  private static FakeGateway gateway;

  @SuppressWarnings("NullAway.Init")
  private static WebhookReceiver receiver;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  @SuppressWarnings("NullAway.Init")
  private static TestOperator owner;

  private final Chromium chromium = new Chromium();
  private int steps;
  private long begunAt;

  @BeforeAll
  static void start() {
    TestEngines.shared().flushRedis();
    gateway = FakeGateway.start(SECRET, Clock.systemUTC());
    receiver = WebhookReceiver.start(SECRET, Clock.systemUTC());
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.ofEntries(
                Map.entry("limits", "on"),
                Map.entry("limit.ip", "off"),
                Map.entry("limit.page", "off"),
                Map.entry("limit.admin", "off"),
                Map.entry("limit.login", "off"),
                Map.entry("limit.join_new", "off"),
                Map.entry("webhooks.url", receiver.url()),
                Map.entry("webhooks.secret", SECRET),
                Map.entry("payment.provider", "webhook"),
                Map.entry("payment.secret", SECRET),
                Map.entry("payment.close_url", gateway.closeUrl()),
                Map.entry("payment.refund_url", gateway.refundUrl())));
    server.createProduct(SALE, 20, POLICY);
    server.openSale(SALE);
    owner = TestOperator.firstOwner(server);
  }

  @AfterAll
  static void stop() {
    server.close();
    gateway.close();
    receiver.close();
  }

  @AfterEach
  void close() {
    chromium.close();
  }

  /// Buys and pays in a browser of its own. Returns the order number.
  private static String buyAndPay(Page buyer, String payment) {
    PageBuyer.Order order = PageBuyer.buy(buyer, SALE, 1);
    URI webhook = URI.create(server.baseUrl() + "/api/payments/webhook");
    int status =
        Eventually.get(
            "the server takes the message",
            () -> gateway.tell(webhook, order.id(), new Paid(payment, 100, "TWD")),
            code -> code != 503);
    assertThat(status).isEqualTo(200);
    String number = order.number();
    Eventually.await(
        "the ledger has the payment",
        () -> server.admin("GET", "/orders?number=" + number, "").contains("\"paid\""));
    Eventually.await(
        "the audit log has the purchase",
        () -> server.admin("GET", "/orders/" + number, "").contains("\"kind\":\"purchase\""));
    return number;
  }

  private void begin() {
    steps = 0;
    begunAt = System.nanoTime();
  }

  private void click(Page page, String selector) {
    steps++;
    page.click(selector);
  }

  private void type(Page page, String selector, String text) {
    steps++;
    page.fill(selector, text);
  }

  private void done(String task, int most) {
    LOG.info(
        "console task: {}: {} steps, {} ms",
        task,
        steps,
        (System.nanoTime() - begunAt) / 1_000_000);
    assertThat(steps).as(task).isLessThanOrEqualTo(most);
  }

  @Test
  void aComplainingBuyerIsServed() {
    Page buyer =
        chromium.page(new Browser.NewContextOptions().setBypassCSP(true), server.baseUrl(), "en");
    String number = buyAndPay(buyer, "pay_complaint");
    TestOperator support = TestOperator.add(server, "grace", Role.SUPPORT);
    Page page = chromium.console(server, support, "en", 1280);
    page.navigate("/console/orders");
    page.waitForSelector("input[name=q]");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-orders-list");

    begin();
    type(page, "input[name=q]", number.toLowerCase(Locale.ROOT).replace("-", " "));
    steps++;
    page.keyboard().press("Enter");
    page.waitForSelector("#refund");
    done("find the order of a complaining buyer", 2);
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-order");
    assertThat(page.textContent("h1")).contains(number);
    assertThat(page.textContent(".history"))
        .contains("Reserved", "Paid")
        .doesNotContain("Unpaid", "Paid Paid");
    assertThat(page.locator("#show-tickets").count()).as("the sale has no tickets").isZero();

    refundHalf(page);
    block(page, buyer);
    liftOnAppeal(page, buyer);
    assertThat(chromium.closePages())
        .as("errors in the browser")
        .noneMatch(it -> it.contains("console"));
  }

  @Test
  void anUnpaidOrderIsKeptOrCancelledAndAReceiptWithoutAnAddressIsNotPromised() {
    Page buyer =
        chromium.page(new Browser.NewContextOptions().setBypassCSP(true), server.baseUrl(), "en");
    PageBuyer.Order order = PageBuyer.buy(buyer, SALE, 1);
    Eventually.await(
        "the ledger has the order",
        () -> server.admin("GET", "/orders?number=" + order.number(), "").contains("pending"));
    Page page = chromium.console(server, owner, "en", 1280);
    page.clock().install();
    page.route(
        url -> url.endsWith("/api/admin/orders/" + order.id()),
        route -> {
          APIResponse answer = route.fetch();
          route.fulfill(
              new Route.FulfillOptions()
                  .setResponse(answer)
                  .setBody(answer.text().replace("\"receipts\":[]", "\"receipts\":[" + NOWHERE)));
        });
    page.navigate("/console/orders/" + order.id());
    page.click("#send-receipt");
    assertThat(page.textContent("dialog")).contains("found no address");
    page.fill("dialog [name=reason]", "the buyer asks");
    var _ = page.evalOnSelector("#cancel", "it => it.dataset.before = ''");
    page.click("dialog .button.primary");
    page.waitForSelector(".toast:has-text('if the buyer can be reached')");
    // The order is drawn again after the toast.
    page.click("#cancel:not([data-before])");
    page.click("dialog .button:has-text('Keep the order')");
    cancelWithLostAnswers(page);
    assertThat(chromium.closePages()).noneMatch(it -> it.contains("console"));
  }

  /// The first call does not arrive; the answer of the second one gets lost.
  private static void cancelWithLostAnswers(Page page) {
    AtomicInteger calls = new AtomicInteger();
    page.route(
        url -> url.endsWith("/cancel"),
        route -> {
          if (calls.incrementAndGet() == 2) {
            var _ = route.fetch();
          }
          route.fulfill(
              new Route.FulfillOptions()
                  .setStatus(503)
                  .setContentType("application/json")
                  .setBody("{\"error\":\"SERVICE_UNAVAILABLE\",\"message\":\"Try again.\"}"));
        });
    page.click("#cancel");
    page.fill("dialog [name=reason]", "the buyer asks");
    page.click("dialog .button.danger");
    Chromium.passUntil(page, LOOK_MS, "dialog .note.bad:has-text('so far it has not been done')");
    page.click("dialog .button.danger");
    page.waitForSelector(".toast.good");
    page.waitForSelector(".badge:has-text('Cancelled')");
    assertThat(calls).hasValue(2);
  }

  private void refundHalf(Page page) {
    begin();
    click(page, "#refund");
    steps++;
    page.selectOption("dialog [name=what]", "part");
    page.fill("dialog [name=amount]", "5");
    assertThat(page.textContent("dialog .effect")).contains("too much: only NT$1 can");
    type(page, "dialog [name=amount]", "0.50");
    type(page, "dialog [name=reason]", "the view was blocked");
    assertThat(page.textContent("dialog .effect")).contains("stays paid");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-refund");
    // Two clicks at once are one refund.
    steps++;
    page.evaluate(
        "() => { const b = document.querySelector('dialog .button.danger'); b.click(); b.click(); }");
    page.waitForSelector("dt:has-text('Can still be refunded')");
    done("refund half of it", 6);
    Eventually.await("the gateway refunds", () -> gateway.refundCount() == 1);
    assertThat(gateway.refunds().values()).singleElement().asString().contains("\"amount\":50");
    Eventually.await(
        "the refund is done",
        () -> server.admin("GET", "/refunds?state=done", "").contains("\"state\":\"done\""));
    Eventually.await(
        "the result is in the audit log",
        () -> {
          page.reload();
          page.waitForSelector("tr:has-text('Refund an order')");
          return page.locator("tr:has-text('Refund an order') .badge.good").count() == 1;
        });
    assertThat(page.locator("tr:has-text('Refund an order')").count())
        .as("an act and its result are one line")
        .isEqualTo(1);
    assertThat(page.textContent("tr:has-text('Refund an order')"))
        .contains("grace", "the view was blocked");
  }

  private void block(Page page, Page buyer) {
    begin();
    click(page, "#ban");
    type(page, "dialog [name=reason]", "buys for resale");
    click(page, "dialog .button.danger");
    page.waitForSelector(".toast.good");
    done("block the browser of the order", 3);
    Eventually.await("the browser is refused", () -> buyer.navigate("/p/" + SALE).status() == 403);
    buyer.click("a[href^='/appeal/']");
    buyer.fill("[name=text]", "I buy for my whole family, not for resale.");
    buyer.click("form .button.primary");
    buyer.waitForSelector("#receipt");
  }

  private void liftOnAppeal(Page page, Page buyer) {
    page.navigate("/console/appeals");
    page.waitForSelector("table .badge");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-appeals");
    begin();
    click(page, "table a");
    page.waitForSelector("#lift");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-appeal");
    assertThat(page.getAttribute("p.wraps", "dir"))
        .as("a letter keeps its direction")
        .isEqualTo("auto");
    click(page, "#lift");
    type(page, "dialog [name=reason]", "a family");
    click(page, "dialog .button.primary");
    page.waitForSelector(".toast.good");
    done("lift the block on appeal", 4);
    Eventually.await("the browser is let in", () -> buyer.navigate("/p/" + SALE).status() == 200);
  }

  @Test
  void everyPageIsAccessibleAndFitsATelephone() {
    Page buyer =
        chromium.page(new Browser.NewContextOptions().setBypassCSP(true), server.baseUrl(), "en");
    String number = buyAndPay(buyer, "pay_pages");
    List<String> pages =
        List.of(
            "orders",
            "orders/" + number,
            "orders/refunds",
            "people",
            "people?by=network",
            "people?by=reason",
            "people/decisions?all=1",
            "appeals",
            "policies",
            "policies/1",
            "policies/new?from=1",
            "rooms",
            "codes",
            "codes/products",
            "codes/imports",
            "codes/imports/new",
            "codes/exports",
            "webhooks",
            "audit",
            "operators",
            "settings",
            "me");
    for (String path : pages) {
      assertThat(server.call("GET", "/console/" + path, "", "cookie", owner.cookie()).body())
          .as(path)
          .contains("console.js");
    }
    Page page = chromium.console(server, owner, "zh-CN", 1280);
    look(page, pages, "zh-CN-1280");
    Chromium.look(page, server, new Chromium.Look("en", 360));
    look(page, pages, "en-360");
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }

  private static void look(Page page, List<String> pages, String look) {
    page.navigate("/console");
    page.waitForSelector(".console-page h1");
    for (String path : pages) {
      Chromium.go(page, "/console/" + path);
      assertThat(page.isVisible("[role=alert]:not(:empty)")).as(path).isFalse();
      assertThat(page.content())
          .as(path + " has texts without translation")
          .doesNotContain(">console.");
      assertThat(barriers(page)).as(path).isEmpty();
      shoot(page, "console-" + path.replaceAll("[^a-z0-9-]", "-") + "-" + look);
    }
  }

  @Test
  void aPolicyIsCheckedPublishedTestedAndActivated() {
    Page page = chromium.console(server, owner, "en", 1280);
    page.navigate("/console/policies/new?from=1");
    page.waitForSelector(".rule");
    page.click("#document > summary");
    String document = page.inputValue("[name=bundle]");
    page.fill("[name=bundle]", "{\"rules\": []}");
    page.waitForSelector(".note:has-text('The form is shown again')");
    page.click("#validate");
    page.waitForSelector(".note.bad .line");
    // `fill` types: 600 lines would take Chromium half a minute.
    Object _ =
        page.evalOnSelector(
            "[name=bundle]",
            "(field, text) => { field.value = text; field.dispatchEvent(new Event('input')); }",
            document);
    page.click(".rule:has-text('no_evidence') summary");
    page.fill(".rule:has-text('no_evidence') [name=points]", "21");
    assertThat(page.isChecked(".rule:has-text('no_evidence') [name=shadow]")).isFalse();
    page.selectOption("[name='critical.action']", "hold");
    assertThat(page.inputValue("[name=bundle]")).contains("\"points\": 21");
    assertThat(barriers(page)).isEmpty();
    page.fill("[name=note]", "a test");
    page.click("#validate");
    page.waitForSelector("text=The document is right.");
    page.click("form .button.primary");
    page.waitForSelector("dialog tr:has-text('no_evidence') ins:has-text('+21')");
    assertThat(page.textContent("dialog tr:has-text('Critical')"))
        .contains("100 · Refused", "100 · Held for review");
    assertThat(page.locator("dialog tbody tr").count()).isEqualTo(2);
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-policy-diff");
    page.click("dialog .button.primary");
    page.waitForSelector("#activate");
    page.click("#backtest");
    page.click("dialog .button.primary");
    page.waitForSelector("text=Humans harmed per bot stopped");
    shoot(page, "console-policy-backtest");
    page.click("#canary");
    page.fill("dialog [name=percent]", "0");
    page.click("dialog .button.primary");
    page.waitForSelector("#end-canary");
    page.click("#activate");
    page.click("dialog .button.danger");
    page.waitForSelector(".badge.good:has-text('Active')");
    page.navigate("/console/policies");
    Page other = chromium.console(server, owner, "en", 1280);
    other.navigate("/console/policies");
    other.waitForSelector("#rollback");
    page.click("#rollback");
    page.click("dialog .button.danger");
    page.waitForSelector(".toast.good");
    assertThat(server.admin("GET", "/policies/1", "")).contains("\"state\":\"active\"");
    other.click("#rollback");
    other.click("dialog .button.danger");
    other.waitForSelector("dialog .note.bad:has-text('Another version is active by now')");
    assertThat(server.admin("GET", "/policies/1", "")).contains("\"state\":\"active\"");
  }

  @Test
  void aPolicyWithAnEmptyBacktestAndWithoutRulesIsActivatedByATypedConfirmation() {
    Page page = chromium.console(server, owner, "en", 1280);
    page.navigate("/console/policies/new");
    page.fill("[name=bundle]", PolicyWorld.document("nothing"));
    page.click("#validate");
    page.waitForSelector("[role=status]:has-text('No rule counts')");
    page.fill("[name=note]", "an empty one");
    page.click("form .button.primary");
    page.waitForSelector(".note:has-text('No rule counts')");
    String version = page.url().substring(page.url().lastIndexOf('/') + 1);
    assertThat(
            server.admin(
                "POST", "/policies/" + version + "/backtest", "{\"to\": \"2001-01-01T00:00:00Z\"}"))
        .contains("\"decisions\":{\"all\":0");
    page.navigate("/console/policies");
    page.waitForSelector(
        "tr:has(a[href='/console/policies/" + version + "']):has-text('No decision judged')");
    page.navigate("/console/policies/" + version);
    page.click("#activate");
    page.waitForSelector("dialog:has-text('judged no decision')");
    page.fill("dialog [name=typed]", version);
    page.click("dialog .button.danger");
    page.waitForSelector(".badge.good:has-text('Active')");
    assertThat(server.admin("POST", "/policies/rollback", "")).contains("\"state\":\"active\"");
  }

  @Test
  void anOwnerAddsAnOperatorAndAToken() {
    Page page = chromium.console(server, owner, "en", 1280);
    page.navigate("/console/operators");
    page.click("#add");
    page.fill("dialog [name=name]", "lin");
    page.click("dialog .button.primary");
    page.waitForSelector("[name=secret]");
    assertThat(page.inputValue("[name=secret]")).startsWith(server.baseUrl() + "/console/welcome/");
    page.click("dialog .button.quiet");
    page.waitForSelector("tr:has-text('lin')");
    page.navigate("/console/me");
    page.click("#new-token");
    page.fill("dialog [name=name]", "monitoring");
    page.click("dialog .button.primary");
    page.waitForSelector("[name=secret]");
    assertThat(page.inputValue("[name=secret]")).startsWith("fgo_");
  }

  @Test
  void ordersOfAnotherPlatformAreImportedAndACodeIsReplacedAndRevoked() {
    Page page = chromium.console(server, owner, "en", 360);
    page.navigate("/console/codes");
    page.waitForSelector(".lesson");
    page.click(".lesson a");
    page.waitForSelector(".lesson #new");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-redeem-empty");
    RedeemConsole redeem = new RedeemConsole(server, page);
    redeem.createAProduct();
    page.click(".tabs a[href='/console/codes/imports']");
    page.click(".lesson a");
    redeem.cancelAnUpload();
    redeem.importAFile();
    redeem.replaceAndRevokeACode();
    redeem.undoTheImport();
    assertThat(chromium.closePages())
        .as("errors in the browser")
        .noneMatch(it -> it.contains("console"));
  }

  @Test
  void aTestMessageArrives() {
    Page page = chromium.console(server, owner, "en", 1280);
    page.navigate("/console/webhooks");
    page.click("#test");
    page.click("dialog .button.primary");
    Eventually.await(
        "the message is delivered",
        () ->
            server.admin("GET", "/webhooks?state=done", "").contains("\"type\":\"webhook.test\""));
    page.navigate("/console/webhooks?state=done");
    page.waitForSelector("td:has-text('webhook.test')");
  }

  @Test
  void decisionsAndSuspectsHaveActs() {
    Page buyer =
        chromium.page(new Browser.NewContextOptions().setBypassCSP(true), server.baseUrl(), "en");
    String _ = buyAndPay(buyer, "pay_decisions");
    Eventually.await(
        "the decision is recorded",
        () ->
            server
                .admin("GET", "/decisions?product_id=" + SALE, "")
                .contains("\"route\":\"join\""));
    String first = server.admin("GET", "/decisions?limit=1", "");
    assertThat(first).contains("\"after\":\"");
    String after = first.replaceFirst("(?s).*\"after\":\"([^\"]+)\".*", "$1");
    assertThat(server.admin("GET", "/decisions?limit=1&after=" + after, ""))
        .doesNotContain(after.substring(after.indexOf('.') + 1));
    Page page = chromium.console(server, owner, "en", 1280);
    page.navigate("/console/people/decisions?all=1");
    page.waitForSelector("[data-seat]");
    page.navigate("/console/people?sort=purchases");
    page.waitForSelector("[data-ban]");
    assertThat(page.textContent("tr:has([data-ban]) th"))
        .as("a name that can be read out, and the browser")
        .containsPattern("^[0-9A-Z]{4}-[0-9A-Z]{4}")
        .contains("Chrome");
    assertThat(page.textContent("tr:has([data-ban])")).contains("Units: 1 · NT$");
    assertThat(server.admin("GET", "/suspects?by=reason&sort=refusals", ""))
        .contains("\"suspects\":");
  }
}
