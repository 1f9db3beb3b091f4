package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.print;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
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
    return chromium.page(server, locale, width, scheme);
  }

  /// Buys in this browser and opens the page of the order. Returns the order's id.
  private static String bought(Page page) {
    String order = PageBuyer.buy(page, SALE, 1).id();
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
    assertThat(mails(1).getFirst().text()).contains("/r/" + order);

    Page console = chromium.console(server, owner, "en", 1280);
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
    String order = bought(phone);
    phone.click("details.mail summary");
    assertThat(barriers(phone)).isEmpty();
    shoot(phone, "receipt-mail-" + locale);
    phone.fill("#email", "ming@localhost");
    phone.click("#mail");
    assertThat(phone.textContent("[role=alert]:not([hidden])")).contains("anna@example.com");
    shoot(phone, "receipt-mail-bad-" + locale);
    PageBuyer.pay(phone, order);
    phone.reload();
    shoot(phone, "receipt-paid-" + locale);
    print(phone, "receipt-print-" + locale);
    chromium.forgive();
  }
}
