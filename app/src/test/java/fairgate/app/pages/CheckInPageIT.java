package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.print;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.WaitForSelectorState;
import fairgate.app.TestFairgate;
import fairgate.app.orders.TicketQr;
import fairgate.kernel.Role;
import fairgate.operator.access.TestOperator;
import fairgate.testkit.Eventually;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Tickets and the page of the entrance in Chromium, with and without a connection. Screenshots:
/// `target/screenshots`.
class CheckInPageIT {
  private static final String POLICY =
      """
      {"preset": "queue", "payment": "required", "payment_window_seconds": 600, "max_quantity": 4,
       "max_per_user": null, "max_per_device": null,
       "active_capacity": 50, "ready_slots": 50, "places_per_ip": null, "units_per_ip": null}
      """;
  private static final String CONTENT =
      """
      {"names": {"en": "Night Owl concert", "zh-Hant": "夜貓演唱會", "zh-Hans": "夜猫演唱会"},
       "venue": "Taipei Arena", "starts_at": "2099-12-24T11:00:00Z",
       "tickets": {"transfer_until": "2099-12-24T10:00:00Z"}}
      """;

  /// A camera in front of which somebody holds the code `window.held`.
  private static final String CAMERA =
      """
      window.BarcodeDetector = class {
        async detect() { return window.held ? [{ rawValue: window.held }] : []; }
      };
      navigator.mediaDevices.getUserMedia = async () => {
        const canvas = document.createElement('canvas');
        canvas.getContext('2d').fillRect(0, 0, 8, 8);
        return canvas.captureStream(5);
      };
      """;

  /// The page sends what waits after so many milliseconds.
  private static final int SYNC_MS = 5_000;

  private static TestFairgate server;
  private static TestOperator gate;

  private final Chromium chromium = new Chromium();

  @BeforeAll
  static void start() {
    server = TestFairgate.start();
    gate = TestOperator.add(server, "gate2", Role.CHECKIN);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void close() {
    chromium.close();
  }

  private Page page(String locale, int width, ColorScheme scheme) {
    return chromium.page(server, locale, width, scheme);
  }

  private Page entrance(String locale, ColorScheme scheme) {
    Page page = page(locale, 360, scheme);
    Chromium.signIn(page, server, gate);
    return page;
  }

  /// Buys four tickets; the page shows them.
  private Page buyer(String product) {
    server.createProduct(product, 8, POLICY);
    assertThat(server.admin("PUT", "/products/" + product + "/content", CONTENT))
        .contains("Taipei Arena");
    server.openSale(product);
    Page buyer = page("en", 1_280, ColorScheme.LIGHT);
    String order = PageBuyer.buy(buyer, product, 4).id();
    PageBuyer.pay(buyer, order);
    buyer.navigate("/o/" + order);
    shoot(buyer, "ticket-order-en");
    buyer.click("#tickets");
    Eventually.await(
        "the ledger has the payment",
        () -> {
          buyer.reload();
          return buyer.isVisible("svg.qr");
        });
    return buyer;
  }

  private static void scan(Page page, String text) {
    page.fill("#code", text);
    page.click("#check");
  }

  private static void verdict(Page page, String words) {
    page.waitForSelector("#verdict strong:text('" + words + "')");
  }

  @Test
  void ticketsAreCheckedInWithAndWithoutAConnection() {
    Page buyer = buyer("9980");
    assertThat(barriers(buyer)).isEmpty();
    shoot(buyer, "tickets-en");
    print(buyer, "tickets-print");
    List<String> codes = TicketQr.of(buyer.content());
    assertThat(codes).hasSize(4);

    Page page = entrance("en", ColorScheme.LIGHT);
    page.clock().install();
    page.navigate("/console");
    page.waitForURL("**/console/check-in");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "check-in-sales-en");
    page.click("a[href='/console/check-in/9980']");
    page.waitForSelector("#count:has-text('0 of 4')");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "check-in-ready-en");
    scan(page, buyer.textContent("#ticket-1 .ticket-code").toLowerCase(Locale.ROOT));
    verdict(page, "Admit");
    page.waitForSelector("#count:has-text('1 of 4')");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "check-in-admitted-en");
    scan(page, codes.get(0));
    verdict(page, "Already checked in at");
    assertThat(page.textContent("#verdict")).contains("by gate2");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "check-in-used-en");

    // The page stays and starts again without a connection.
    page.waitForFunction("navigator.serviceWorker.ready.then(Boolean)");
    page.waitForFunction(
        "caches.open('fairgate-check-in').then((cache) => cache.match(location.href)).then(Boolean)");
    page.waitForFunction("JSON.parse(localStorage.getItem('check-in.9980.keys') || 'null')");
    page.context().setOffline(true);
    scan(page, codes.get(1));
    verdict(page, "Admit");
    page.waitForSelector("#waiting:has-text('Waiting to be sent: 1')");
    scan(page, codes.get(1));
    verdict(page, "Already checked in at");
    scan(page, codes.get(0));
    verdict(page, "Already checked in at");
    scan(page, codes.get(2).replaceFirst("\\.[^.]{9}", ".AAAAAAAAA"));
    verdict(page, "Not a ticket");
    scan(page, "7K4P-92XM-3TQA");
    verdict(page, "A typed code cannot be checked");
    page.reload();
    page.waitForSelector("#waiting:has-text('Waiting to be sent: 1')");
    scan(page, codes.get(1));
    verdict(page, "Already checked in at");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "check-in-offline-en");

    // Another entrance admits the copy that this one has admitted without a connection.
    Page other = entrance("en", ColorScheme.DARK);
    other.addInitScript(CAMERA);
    other.navigate("/console/check-in/9980");
    other.waitForSelector("#count:has-text('1 of 4')");
    other.evaluate("(code) => { window.held = code; }", codes.get(1));
    other.click("#camera");
    verdict(other, "Admit");
    shoot(other, "check-in-camera-dark");
    other.click("#camera");
    page.context().setOffline(false);
    page.waitForSelector("#conflicts:has-text('Admitted twice')");
    page.waitForSelector(
        "#waiting", new Page.WaitForSelectorOptions().setState(WaitForSelectorState.HIDDEN));
    shoot(page, "check-in-conflict-en");
    page.waitForSelector("#count:has-text('2 of 4')");

    // The server cannot decide, because its database is away.
    page.route(
        "**/check-ins",
        route -> route.fulfill(new Route.FulfillOptions().setStatus(503).setBody("{}")));
    scan(page, codes.get(3));
    verdict(page, "Admit");
    page.waitForSelector("#waiting:has-text('Waiting to be sent: 1')");
    page.unroute("**/check-ins");
    Chromium.passUntil(page, SYNC_MS, "#count:has-text('3 of 4')");
    chromium.forgive();
  }

  @Test
  void aTicketIsGivenToSomebodyAndFitsATelephone() {
    Page buyer = buyer("9981");
    buyer.click("#ticket-1 summary");
    buyer.fill("#ticket-1 [name=name]", "林小華");
    buyer.click("#ticket-1 details button");
    buyer.waitForSelector("#ticket-1 .ticket-link a");
    assertThat(barriers(buyer)).isEmpty();
    shoot(buyer, "tickets-offered-en");
    String link = buyer.getAttribute("#ticket-1 .ticket-link a", "href");
    Page friend = page("zh-TW", 360, ColorScheme.DARK);
    friend.navigate(link);
    assertThat(barriers(friend)).isEmpty();
    shoot(friend, "ticket-offer-zh-TW");
    friend.click("#take");
    friend.waitForSelector("svg.qr");
    assertThat(barriers(friend)).isEmpty();
    shoot(friend, "ticket-own-zh-TW");
    print(friend, "ticket-own-print");
    buyer.reload();
    shoot(buyer, "tickets-transferred-en");
    for (String locale : List.of("zh-TW", "zh-CN")) {
      Page page = entrance(locale, locale.equals("zh-TW") ? ColorScheme.DARK : ColorScheme.LIGHT);
      page.navigate("/console/check-in/9981");
      page.waitForSelector("#count:not(:empty)");
      scan(page, TicketQr.of(friend.content()).getFirst());
      page.waitForSelector("#verdict.good, #verdict.bad");
      assertThat(barriers(page)).isEmpty();
      shoot(page, "check-in-" + locale);
    }
    assertThat(chromium.closePages()).as("errors in the browser").isEqualTo(List.of());
  }
}
