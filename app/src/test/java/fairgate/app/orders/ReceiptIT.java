package fairgate.app.orders;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.MailServer;
import fairgate.testkit.RespConnection;
import fairgate.testkit.line.FakeLine;
import fairgate.testkit.line.LineEvents;
import fairgate.testkit.line.LineEvents.From;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Buyers get receipts by e-mail, through a real SMTP server, or by LINE, each once.
class ReceiptIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SECRET = "secret-of-the-line-channel-123456";
  private static final String TOKEN = "token-of-the-line-channel-abcdefgh";
  private static final String SHOP = "https://shop.example";
  private static final String PASSWORD = "correct horse 9";
  private static final String POLICY =
      """
      {"preset": "queue", "payment": "required", "payment_window_seconds": 600,
       "active_capacity": 50, "ready_slots": 50, "unpaid_cooldown_seconds": 0}
      """;
  private static final AtomicLong PRODUCTS = new AtomicLong(9_850);

  private static final Map<String, String> SETTINGS = new HashMap<>();
  private static PostgresAddress database;
  private static MailServer mail;
  private static FakeLine line;
  private static TestFairgate server;

  private final String product = Long.toString(PRODUCTS.getAndIncrement());
  private final String name = "r" + UUID.randomUUID().toString().substring(0, 12);
  private final String email = name + "@example.com";

  @BeforeAll
  static void start() {
    mail = MailServer.start();
    line = FakeLine.start(SECRET, TOKEN, Clock.systemUTC());
    SETTINGS.put("messages.email", "smtp");
    SETTINGS.put("messages.smtp_host", "127.0.0.1");
    SETTINGS.put("messages.smtp_port", Integer.toString(mail.port()));
    SETTINGS.put("messages.smtp_tls", "off");
    SETTINGS.put("messages.smtp_from", "Tickets <no-reply@shop.example>");
    SETTINGS.put("line.api_url", line.url());
    SETTINGS.put("line.channel_secret", SECRET);
    SETTINGS.put("line.channel_token", TOKEN);
    SETTINGS.put("line.shop_url", SHOP);
    SETTINGS.put("links.base_url", SHOP);
    database = TestEngines.shared().freshDatabase();
    server = TestFairgate.start(TestEngines.shared(), database, SETTINGS);
  }

  @AfterAll
  static void stop() {
    server.close();
    line.close();
    mail.close();
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(text, e);
    }
  }

  private void open() {
    server.createProduct(product, 5, POLICY);
    server.openSale(product);
  }

  /// Returns the order.
  private JsonNode buy(PlainBrowser browser) {
    browser.join(product);
    return browser.buy(product, 1);
  }

  private static void pay(PlainBrowser browser, JsonNode order) {
    HttpResponse<String> paid =
        browser.call("POST", "/api/orders/" + order.path("order_id").asText() + "/pay", "");
    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200);
  }

  private static JsonNode admin(String method, String path, String body) {
    HttpResponse<String> reply =
        server.callUntilAccepted(
            method, "/api/admin" + path, body, "Authorization", "Bearer " + TestFairgate.OPERATOR);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
    return json(reply.body());
  }

  private static JsonNode shown(JsonNode order) {
    return admin("GET", "/orders/" + order.path("order_id").asText(), "").path("order");
  }

  private static JsonNode receipts(JsonNode order) {
    return admin("GET", "/orders/" + order.path("order_id").asText(), "").path("receipts");
  }

  /// The ledger has an order moments after its purchase.
  private static void inLedger(JsonNode order) {
    String id = order.path("order_id").asText();
    Eventually.await(
        "the order is in the ledger",
        () -> sql("SELECT count(*) FROM orders WHERE order_id = '" + id + "'").equals("1"));
  }

  private static JsonNode act(JsonNode order, String act) {
    return admin(
        "POST",
        "/orders/" + order.path("order_id").asText() + act,
        "{\"reason\":\"the buyer asked\"}");
  }

  private static String mailTo(String address) {
    return "email=" + URLEncoder.encode(address, StandardCharsets.UTF_8);
  }

  private static List<MailServer.Mail> mails(String to, int number) {
    return Eventually.get(
        number + " mails",
        () -> mail.mails().stream().filter(it -> it.to().equals(to)).toList(),
        all -> all.size() >= number);
  }

  private static List<FakeLine.Shown> chat(From who, int number) {
    return line.await(String.valueOf(who.chat()), number);
  }

  /// Waits until all that is due was handed over, so that a second message would have arrived.
  private static void settled() {
    Eventually.await(
        () ->
            sql("SELECT count(*) FROM receipts WHERE state = 'due'").equals("0")
                && sql("SELECT count(*) FROM code_messages").equals("0"));
  }

  private static String sql(String query) {
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(database), database.user(), database.password());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    } catch (SQLException e) {
      throw new AssertionError(query, e);
    }
  }

  /// Signs in with a verified e-mail address.
  private void signIn(PlainBrowser browser, String language) {
    String credentials = "{\"username\":\"%s\",\"password\":\"%s\"}".formatted(name, PASSWORD);
    var _ = browser.call("POST", "/api/v1/register", credentials);
    HttpResponse<String> login = browser.call("POST", "/api/v1/login", credentials);
    assertThat(login.statusCode()).as(login.body()).isEqualTo(200);
    String address = "{\"email\":\"%s\"}".formatted(email);
    assertThat(
            browser
                .call("POST", "/api/v1/identity/email", address, "Accept-Language", language)
                .statusCode())
        .isEqualTo(202);
    String code = mails(email, 1).getFirst().text().substring(0, 6);
    HttpResponse<String> verified =
        browser.call(
            "POST",
            "/api/v1/identity/email/confirm",
            "{\"email\":\"%s\",\"code\":\"%s\"}".formatted(email, code),
            "Accept-Language",
            language);
    assertThat(verified.statusCode()).as(verified.body()).isEqualTo(200);
  }

  @Test
  void anAccountWithAVerifiedAddressGetsReceiptAndRefundOnceEach() {
    PlainBrowser browser = new PlainBrowser(server);
    signIn(browser, "zh-Hans");
    open();
    JsonNode order = buy(browser);
    pay(browser, order);
    MailServer.Mail receipt = mails(email, 2).get(1);
    String number = order.path("order_number").asText();
    assertThat(receipt.subject()).isEqualTo("订单 " + number + " 的收据");
    assertThat(receipt.language()).isEqualTo("zh-Hans");
    assertThat(receipt.text())
        .contains(number)
        .contains("NT$")
        .contains(SHOP + "/r/" + order.path("order_id").asText() + ".");
    var _ = act(order, "/refund");
    assertThat(mails(email, 3).get(2).subject()).isEqualTo("订单 " + number + " 的退款通知");
    settled();
    assertThat(mails(email, 3)).hasSize(3);
    assertThat(receipts(order).findValuesAsText("state")).containsExactly("sent", "sent");
    assertThat(sql("SELECT count(*) FROM order_contacts WHERE sealed LIKE '%@%'")).isEqualTo("0");
  }

  @Test
  void aGuestGivesAnAddressBeforeOrAfterPayingThreeTimesAtMost() {
    PlainBrowser browser = new PlainBrowser(server);
    open();
    JsonNode order = buy(browser);
    String path = "/o/" + order.path("order_id").asText() + "/receipt";
    assertThat(browser.form(path, mailTo("nobody")).statusCode()).isEqualTo(400);
    assertThat(browser.form(path, mailTo("A".repeat(300) + "@example.com")).statusCode())
        .isEqualTo(400);
    assertThat(new PlainBrowser(server).form(path, mailTo(email)).statusCode())
        .as("another browser does not own the order")
        .isEqualTo(404);
    assertThat(browser.form(path, mailTo(email)).body()).contains("as soon as the order is paid");
    settled();
    assertThat(mail.mails()).noneMatch(it -> it.to().equals(email));
    pay(browser, order);
    assertThat(mails(email, 1).getFirst().subject()).startsWith("Receipt for order ");
    assertThat(browser.form(path, mailTo("second." + email)).statusCode()).isEqualTo(200);
    assertThat(mails("second." + email, 1)).hasSize(1);
    assertThat(browser.form(path, mailTo("third." + email)).statusCode()).isEqualTo(200);
    HttpResponse<String> fourth = browser.form(path, mailTo("fourth." + email));
    assertThat(fourth.statusCode()).isEqualTo(429);
    assertThat(mails("third." + email, 1)).hasSize(1);
    settled();
    assertThat(mail.mails()).noneMatch(it -> it.to().startsWith("fourth"));
  }

  @Test
  void theLinkOfAReceiptShowsTheOrderOnAnyDeviceUntilItIsEnded() {
    PlainBrowser browser = new PlainBrowser(server);
    open();
    var _ =
        admin(
            "PUT",
            "/products/" + product + "/content",
            "{\"names\": {\"en\": \"Concert\"}, \"tickets\": {}}");
    JsonNode order = buy(browser);
    String page = "/o/" + order.path("order_id").asText();
    assertThat(browser.form(page + "/receipt", mailTo(email)).statusCode()).isEqualTo(200);
    pay(browser, order);
    String link = link(mails(email, 1).getLast());
    assertThat(browser.page(link).headers().firstValue("location")).contains(page);

    PlainBrowser other = new PlainBrowser(server);
    HttpResponse<String> shown = other.page(link);
    assertThat(shown.statusCode()).isEqualTo(200);
    assertThat(shown.body())
        .contains(order.path("order_number").asText())
        .contains("Whoever has the link sees the order")
        .contains(link + "/tickets")
        .doesNotContain("end-links", "/cancel", "name=\"email\"", email);
    assertThat(shown.headers().firstValue("referrer-policy")).contains("same-origin");
    inLedger(order);
    assertThat(other.page(link + "/tickets").body())
        .contains("class=\"qr-box\"")
        .doesNotContain("<form method=\"post\" action=\"/o/");
    var _ =
        sql(
            """
            INSERT INTO payment_disputes (dispute_id, order_id, payment_id, amount, currency, state, reason)
            VALUES ('du_link', '%s', 'p', 1, 'TWD', 'open', '') RETURNING dispute_id
            """
                .formatted(order.path("order_id").asText()));
    assertThat(other.page(link).body()).contains("Payment disputed").doesNotContain(">Paid<");
    assertThat(other.page(link + "/tickets").body())
        .contains("Not valid at present")
        .doesNotContain(">Valid<", "class=\"qr-box\"");
    assertThat(other.page(page).statusCode()).as("the link gives no more").isEqualTo(404);
    assertThat(other.form(page + "/end-links", "").statusCode()).isEqualTo(404);
    assertThat(other.page(link.substring(0, link.length() - 2) + "AA").statusCode()).isEqualTo(404);

    assertThat(browser.form(page + "/end-links", "").statusCode()).isEqualTo(200);
    assertThat(other.page(link).statusCode()).isEqualTo(404);
    assertThat(other.page(link + "/tickets").statusCode()).isEqualTo(404);
    assertThat(browser.page(link).headers().firstValue("location")).contains(page);
    var _ = act(order, "/receipt");
    String next = link(mails(email, 2).getLast());
    assertThat(other.page(next).statusCode()).isEqualTo(200);
    var _ = act(order, "/end-links");
    assertThat(other.page(next).statusCode()).isEqualTo(404);
  }

  private static String link(MailServer.Mail receipt) {
    String text = receipt.text();
    return text.substring(text.indexOf(SHOP + "/r/") + SHOP.length()).strip().split("\\s", 2)[0];
  }

  @Test
  void aBuyerFromLineIsToldThereAndKeepsTheContactForALaterRefund() {
    From who = From.user(LineEvents.userId("buyer " + product));
    open();
    PlainBrowser browser = new PlainBrowser(server);
    assertThat(browser.call("GET", joinLink(who), "").statusCode()).isEqualTo(303);
    JsonNode order = buy(browser);
    pay(browser, order);
    FakeLine.Shown receipt = told(who, order, 1).getFirst();
    assertThat(receipt.how()).isEqualTo("push");
    assertThat(receipt.message().path("text").asText())
        .contains("感謝您的購買")
        .contains(SHOP + "/r/" + order.path("order_id").asText() + ".");
    // The session is forgotten long before a late refund.
    String gone =
        RespConnection.call(
            TestEngines.shared().redisUri(),
            "DEL",
            "{line}:session:" + shown(order).path("session_id").asText());
    assertThat(gone).isEqualTo("1");
    var _ = act(order, "/refund");
    assertThat(told(who, order, 2).get(1).message().path("text").asText()).contains("退款");
    settled();
    assertThat(told(who, order, 2)).hasSize(2);
    assertThat(receipts(order).findValuesAsText("channel")).containsExactly("line", "line");
  }

  /// The messages about an order in a chat.
  private static List<FakeLine.Shown> told(From who, JsonNode order, int number) {
    String named = order.path("order_number").asText();
    return Eventually.get(
        number + " messages",
        () ->
            line.shown(String.valueOf(who.chat())).stream()
                .filter(it -> it.message().path("text").asText().contains(named))
                .toList(),
        all -> all.size() >= number);
  }

  /// The link that the bot gives for the sale.
  private String joinLink(From who) {
    URI webhook = URI.create(server.baseUrl() + "/line/webhook");
    assertThat(line.send(webhook, line.events().text(who, "搶購"))).isEqualTo(200);
    JsonNode cards = chat(who, 1).getLast().message().path("template").path("columns");
    for (JsonNode card : cards) {
      String path = URI.create(card.path("actions").path(0).path("uri").asText()).getPath();
      // Opening a link binds nothing.
      if (server
          .callUntilAccepted("GET", path, "")
          .headers()
          .firstValue("location")
          .filter(("/p/" + product)::equals)
          .isPresent()) {
        return path;
      }
    }
    throw new AssertionError(cards.toString());
  }

  @Test
  void anOperatorSendsAReceiptAgainAndSeesWhoHasNoContact() {
    PlainBrowser browser = new PlainBrowser(server);
    open();
    JsonNode order = buy(browser);
    inLedger(order);
    assertThat(act(order, "/receipt").path("will_send").asBoolean()).isFalse();
    pay(browser, order);
    Eventually.await(
        "nobody to tell", () -> receipts(order).findValuesAsText("state").contains("no_contact"));
    String path = "/o/" + order.path("order_id").asText() + "/receipt";
    assertThat(browser.form(path, mailTo(email)).statusCode()).isEqualTo(200);
    MailServer.Mail first = mails(email, 1).getFirst();
    settled();
    assertThat(act(order, "/receipt").path("will_send").asBoolean()).isTrue();
    MailServer.Mail again = mails(email, 2).get(1);
    assertThat(again.subject()).isEqualTo(first.subject());
    assertThat(again.id()).as("a mail program shows both").isNotEqualTo(first.id());
  }
}
