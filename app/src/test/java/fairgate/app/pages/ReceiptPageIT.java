package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.Cookie;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.operator.access.TestOperator;
import fairgate.testkit.Eventually;
import fairgate.testkit.MailServer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// A buyer asks for the receipt by e-mail on the page of the order, and an operator sends it again.
/// Screenshots: `target/screenshots`.
class ReceiptPageIT {
  private static final String SALE = "9890";
  private static final String EMAIL = "anna@example.com";
  private static final String POLICY =
      """
      {"preset": "queue", "payment": "required", "payment_window_seconds": 600,
       "active_capacity": 50, "ready_slots": 50}
      """;

  /// Joins, waits for the turn and buys, as the page of the sale does.
  private static final String BUY =
      """
      async (product) => {
        const post = async (path, body, headers = {}) => (await fetch(path, {method: 'POST', body: JSON.stringify(body),
          headers: {'content-type': 'application/json', ...headers}})).json();
        const joined = await post('/api/queue/join', {product_id: product, turnstile_token: 'XXXX.DUMMY.TOKEN.XXXX'});
        const session = joined.session_id;
        for (let i = 0; i < 200; i++) {
          const place = await (await fetch('/api/queue/status', {headers: {'x-session-id': session}})).json();
          if (place.status === 'ready_to_purchase') break;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        return await post('/api/purchase', {product_id: product, quantity: 1}, {'x-session-id': session});
      }
      """;

  @SuppressWarnings("NullAway.Init")
  private static MailServer mail;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  @SuppressWarnings("NullAway.Init")
  private static TestOperator owner;

  private final Chromium chromium = new Chromium();

  @BeforeAll
  static void start() {
    TestEngines.shared().flushRedis();
    mail = MailServer.start();
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "messages.email",
                "smtp",
                "messages.smtp_host",
                "127.0.0.1",
                "messages.smtp_port",
                Integer.toString(mail.port()),
                "messages.smtp_tls",
                "off",
                "messages.smtp_from",
                "Tickets <no-reply@shop.example>"));
    server.createProduct(SALE, 20, POLICY);
    server.openSale(SALE);
    owner = TestOperator.firstOwner(server);
  }

  @AfterAll
  static void stop() {
    server.close();
    mail.close();
  }

  @AfterEach
  void close() {
    chromium.close();
  }

  private Page page(String locale, int width, ColorScheme scheme) {
    return chromium.page(
        new Browser.NewContextOptions()
            .setBypassCSP(true)
            .setViewportSize(width, 800)
            .setColorScheme(scheme),
        server.baseUrl(),
        locale);
  }

  /// Buys in this browser and opens the page of the order. Returns the order's id.
  private static String bought(Page page) {
    page.navigate("/p/" + SALE);
    Map<?, ?> bought = (Map<?, ?>) page.evaluate(BUY, SALE);
    assertThat(bought.get("order_id")).as(bought.toString()).isNotNull();
    String order = String.valueOf(bought.get("order_id"));
    page.navigate("/o/" + order);
    return order;
  }

  private static List<MailServer.Mail> mails(int number) {
    return Eventually.get("mails", mail::mails, all -> all.size() >= number);
  }

  @Test
  void theReceiptGoesToTheAddressThatTheBuyerGivesAndIsSentAgain() {
    Page buyer = page("en", 1280, ColorScheme.LIGHT);
    String order = bought(buyer);
    buyer.click("details.mail summary");
    assertThat(barriers(buyer)).isEmpty();
    shoot(buyer, "receipt-mail-en");
    buyer.fill("#email", EMAIL);
    buyer.click("#mail");
    assertThat(buyer.textContent("#notice")).contains("as soon as the order is paid");
    shoot(buyer, "receipt-mail-done-en");
    buyer.navigate("/pay/" + order);
    buyer.click("button[value=paid]");
    assertThat(mails(1).getFirst().to()).isEqualTo(EMAIL);
    assertThat(mails(1).getFirst().text()).contains("/o/" + order);

    Page console = page("en", 1280, ColorScheme.LIGHT);
    console
        .context()
        .addCookies(
            List.of(
                new Cookie("fairgate_operator", owner.cookie().split("=", 2)[1])
                    .setUrl(server.baseUrl())));
    Eventually.await(
        "the receipt is sent",
        () -> server.admin("GET", "/orders/" + order, "").contains("\"state\":\"sent\""));
    console.navigate("/console/orders/" + order);
    console.click("#send-receipt");
    console.fill("dialog [name=reason]", "the buyer deleted it");
    shoot(console, "console-send-receipt");
    console.click("dialog .button.primary");
    console.waitForSelector(".toast.good");
    assertThat(mails(2)).hasSize(2).allMatch(it -> it.to().equals(EMAIL));
    console.reload();
    console.waitForSelector("#send-receipt");
    assertThat(barriers(console)).isEmpty();
    shoot(console, "console-order-receipts");
    console.setViewportSize(360, 740);
    shoot(console, "console-order-receipts-360");
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }

  @Test
  void thePageFitsATelephoneInTheDarkAndInChinese() {
    look("zh-TW", ColorScheme.DARK);
    look("zh-CN", ColorScheme.LIGHT);
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }

  private void look(String locale, ColorScheme scheme) {
    Page phone = page(locale, 360, scheme);
    var _ = bought(phone);
    phone.click("details.mail summary");
    assertThat(barriers(phone)).isEmpty();
    shoot(phone, "receipt-mail-" + locale);
    phone.fill("#email", "ming@localhost");
    phone.click("#mail");
    assertThat(phone.textContent("[role=alert]:not([hidden])")).contains("anna@example.com");
    shoot(phone, "receipt-mail-bad-" + locale);
    chromium.forgive();
  }
}
