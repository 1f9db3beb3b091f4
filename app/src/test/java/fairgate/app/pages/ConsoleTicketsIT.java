package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import fairgate.app.TestFairgate;
import fairgate.app.orders.TicketQr;
import fairgate.operator.access.TestOperator;
import fairgate.testkit.Eventually;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The tickets of an order, and the people on the waiting list of a sale, in the console in
/// Chromium. Screenshots: `target/screenshots`.
class ConsoleTicketsIT {
  private static final String POLICY =
      """
      {"preset": "queue", "payment": "required", "payment_window_seconds": 600, "max_quantity": 4,
       "max_per_user": null, "max_per_device": null,
       "active_capacity": 50, "ready_slots": 50, "places_per_ip": null, "units_per_ip": null}
      """;

  /// The live view asks for the waiting list after so many milliseconds.
  private static final int WAITING_LIST_MS = 5_000;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  @SuppressWarnings("NullAway.Init")
  private static TestOperator owner;

  private final Chromium chromium = new Chromium();

  @BeforeAll
  static void start() {
    server = TestFairgate.start();
    owner = TestOperator.firstOwner(server);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void close() {
    chromium.close();
  }

  private Page buyer() {
    return chromium.page(server, "en", 800, ColorScheme.LIGHT);
  }

  private static void open(String product, int stock) {
    server.createProduct(product, stock, POLICY);
    String content = "{\"tickets\": {\"transfer_until\": \"2099-12-24T10:00:00Z\"}}";
    assertThat(server.admin("PUT", "/products/" + product + "/content", content))
        .contains("transfer_until");
    server.openSale(product);
  }

  /// The first of three tickets is checked in, the second one is taken over by another person.
  private PageBuyer.Order threeTickets() {
    open("9970", 8);
    Page buyer = buyer();
    PageBuyer.Order order = PageBuyer.buy(buyer, "9970", 3);
    PageBuyer.pay(buyer, order.id());
    Eventually.await(
        "the ledger has the payment",
        () -> {
          buyer.navigate("/o/" + order.id() + "/tickets");
          return buyer.isVisible("svg.qr");
        });
    String scan =
        "{\"ticket\":\"%s\",\"scan\":\"scan-of-the-first\"}"
            .formatted(TicketQr.of(buyer.content()).getFirst());
    assertThat(server.admin("POST", "/products/9970/check-ins", scan)).contains("admitted");
    buyer.reload();
    buyer.click("#ticket-2 summary");
    buyer.fill("#ticket-2 [name=name]", "Ming");
    buyer.click("#ticket-2 details button");
    String link = buyer.getAttribute("#ticket-2 .ticket-link a", "href");
    Page friend = buyer();
    friend.navigate(link);
    friend.click("#take");
    friend.waitForSelector("svg.qr");
    return order;
  }

  @Test
  void theTicketsOfAnOrderAreShownOnDemandAndTheReadingIsRecorded() {
    PageBuyer.Order order = threeTickets();
    Page page = chromium.console(server, owner, "en", 1280);
    for (Chromium.Look each : Chromium.LOOKS) {
      String locale = each.locale();
      int width = each.width();
      Chromium.look(page, server, each);
      page.navigate("/console/orders/" + order.id());
      page.waitForSelector("#show-tickets");
      assertThat(page.locator("tbody tr:has(code)").count()).as("before the click").isZero();
      page.click("#show-tickets");
      page.waitForSelector("tbody tr:has(code)");
      assertThat(page.locator("tbody tr:has(code)").allTextContents())
          .hasSize(3)
          .allMatch(row -> row.matches("(?s).*[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}.*"));
      assertThat(barriers(page)).as(locale + width).isEmpty();
      shoot(page, "console-order-tickets-" + locale + "-" + width);
    }
    Chromium.look(page, server, new Chromium.Look("en", 1280));
    page.navigate("/console/orders/" + order.number());
    page.click("#show-tickets");
    page.waitForSelector("tbody tr:has(code)");
    List<String> rows = page.locator("tbody tr:has(code)").allTextContents();
    assertThat(rows.get(0)).contains("Checked in by");
    assertThat(rows.get(1)).contains("Valid", "Yes");
    assertThat(rows.get(2)).contains("Valid", "No");
    assertThat(server.admin("GET", "/audit", "")).contains("/orders/" + order.id() + "/tickets");
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }

  @Test
  void theLiveViewHasThePeopleOnTheWaitingList() {
    open("9971", 1);
    PageBuyer.Order sold = PageBuyer.buy(buyer(), "9971", 1);
    Page page = chromium.console(server, owner, "en", 1280);
    page.clock().install();
    page.navigate("/console/sales/9971");
    page.waitForSelector(".link.live");
    assertThat(page.isVisible("#waiting-list")).as("nobody has registered").isFalse();
    Page waiting = buyer();
    waiting.navigate("/p/9971");
    var _ = PageBuyer.join(waiting, "9971");
    waiting.navigate("/p/9971/waiting-list");
    waiting.click("#register");
    waiting.waitForSelector("#position");
    // The open page follows by itself.
    page.clock().fastForward(WAITING_LIST_MS);
    page.waitForSelector("#waiting-list:has-text('1')");
    Page look = chromium.console(server, owner, "en", 1280);
    for (Chromium.Look each : Chromium.LOOKS) {
      String locale = each.locale();
      int width = each.width();
      Chromium.look(look, server, each);
      look.navigate("/console/sales/9971");
      look.waitForSelector("#waiting-list:not([hidden])");
      assertThat(look.textContent("#waiting-list")).contains("1");
      assertThat(barriers(look)).as(locale + width).isEmpty();
      shoot(look, "console-live-waiting-list-" + locale + "-" + width);
    }
    server.cancelOrder(sold.id());
    Eventually.await(
        "the unit is offered, and nobody waits",
        () -> {
          page.clock().fastForward(WAITING_LIST_MS);
          return page.isHidden("#waiting-list");
        });
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }
}
