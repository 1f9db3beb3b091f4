package fairgate.app.orders;

import static fairgate.app.orders.PlainBrowser.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.kernel.Role;
import fairgate.operator.access.TestOperator;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Tickets from the purchase to the entrance, on two nodes. The QR codes are read from the page as
/// a telephone reads them.
@Tag("journey")
class TicketsIT {
  private static final Pattern LINK = Pattern.compile("href=\"[^\"]*(/t/[^\"]+)\"");
  private static final String POLICY =
      """
      {"preset": "queue", "payment": "required", "payment_window_seconds": 600, "max_quantity": 2,
       "max_per_user": null, "max_per_device": null,
       "active_capacity": 50, "ready_slots": 50, "places_per_ip": null, "units_per_ip": null}
      """;
  private static final AtomicLong PRODUCTS = new AtomicLong(770_000);

  private static TestFairgate server;
  private static TestFairgate other;
  private static String gate;

  private final String product = Long.toString(PRODUCTS.getAndIncrement());
  private int scans;

  @BeforeAll
  static void start() {
    TestEngines.shared().flushRedis();
    PostgresAddress database = TestEngines.shared().freshDatabase();
    server = TestFairgate.start(TestEngines.shared(), database, Map.of());
    other = TestFairgate.start(TestEngines.shared(), database, Map.of());
    gate = TestOperator.firstOwner(server).token(Role.CHECKIN);
  }

  @AfterAll
  static void stop() {
    other.close();
    server.close();
  }

  private void sale(String content) {
    server.createProduct(product, 10, POLICY);
    assertThat(server.admin("PUT", "/products/" + product + "/content", content))
        .contains("\"tickets\"");
    server.openSale(product);
    Eventually.await(
        "the other node knows that the sale has tickets",
        () ->
            other.call("GET", "/api/products/" + product + "/ticket-keys", "").statusCode() == 200);
  }

  /// Buys two units; returns the order.
  private String buy(PlainBrowser browser) {
    var _ = browser.page("/p/" + product);
    browser.join(product);
    return browser.buy(product, 2).path("order_id").asText();
  }

  private static void pay(PlainBrowser browser, String order) {
    HttpResponse<String> paid =
        browser.call("POST", "/api/orders/" + order + "/pay", "{\"result\":\"paid\"}");
    assertThat(paid.statusCode()).as(paid.body()).isEqualTo(200);
  }

  /// The texts of the QR codes on the page of the tickets.
  private static List<String> codes(PlainBrowser browser, String order) {
    Eventually.await(
        "the ledger has the payment",
        () -> browser.page("/o/" + order + "/tickets").body().contains("class=\"qr\""));
    return TicketQr.of(browser.page("/o/" + order + "/tickets").body());
  }

  private JsonNode scan(TestFairgate node, String ticket) {
    return scan(node, product, ticket, "scan-%05d-%s".formatted(scans++, product));
  }

  private static JsonNode scan(TestFairgate node, String product, String ticket, String scan) {
    HttpResponse<String> reply = send(node, product, ticket, scan);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
    return json(reply);
  }

  private static HttpResponse<String> send(
      TestFairgate node, String product, String ticket, String scan) {
    return node.callUntilAccepted(
        "POST",
        "/api/admin/products/" + product + "/check-ins",
        "{\"ticket\":\"%s\",\"scan\":\"%s\"}".formatted(ticket, scan),
        "Authorization",
        "Bearer " + gate);
  }

  private static String result(JsonNode reply) {
    return reply.path("result").asText();
  }

  @Test
  void aTicketAdmitsOnceOverTwoNodesAndNotAfterARefund() {
    sale("{\"tickets\": {}}");
    PlainBrowser browser = new PlainBrowser(server);
    String order = buy(browser);
    // Nothing to see before the payment.
    assertThat(browser.page("/o/" + order + "/tickets").statusCode()).isEqualTo(303);
    assertThat(browser.page("/o/" + order).body())
        .doesNotContain("/tickets\"")
        .contains("data-left=\"5", "/deadline.js");
    pay(browser, order);
    for (String page : List.of("/o/" + order, "/p/" + product)) {
      assertThat(browser.page(page).body()).contains("href=\"/o/" + order + "/tickets\"");
    }
    assertThat(browser.page("/p/" + product).body()).contains("\"tickets\":true");
    List<String> codes = codes(browser, order);
    assertThat(codes).hasSize(2).doesNotHaveDuplicates();
    assertThat(new PlainBrowser(server).page("/o/" + order + "/tickets").statusCode())
        .isEqualTo(404);

    JsonNode first = scan(server, product, codes.get(0), "scan-first");
    assertThat(result(first)).isEqualTo("admitted");
    assertThat(result(scan(other, product, codes.get(0), "scan-first"))).isEqualTo("admitted");
    JsonNode second = scan(other, codes.get(0));
    assertThat(result(second)).isEqualTo("used");
    assertThat(second.path("ticket").path("used_at"))
        .isEqualTo(first.path("ticket").path("used_at"));
    assertThat(browser.page("/o/" + order + "/tickets").body()).contains("Checked in");

    assertThat(
            server.admin(
                "POST", "/orders/" + order + "/refund", "{\"reason\":\"the buyer asked\"}"))
        .contains("\"success\":true");
    Eventually.await(
        "the ledger has the refund",
        () -> server.admin("GET", "/orders/" + order, "").contains("\"status\":\"refunded\""));
    assertThat(result(scan(server, codes.get(1)))).isEqualTo("void");
    HttpResponse<String> blocked =
        other.call(
            "GET",
            "/api/admin/products/" + product + "/tickets?limit=1",
            "",
            "Authorization",
            "Bearer " + gate);
    assertThat(json(blocked).path("used").asInt()).isEqualTo(1);
    assertThat(json(blocked).path("valid").asInt()).isZero();
    assertThat(json(blocked).path("tickets")).hasSize(1);
    assertThat(json(blocked).path("after").asText()).hasSize(12);
  }

  @Test
  void aTransferIsTakenOverOnceAndEndsTheFormerCode() {
    sale(
        "{\"tickets\": {\"transfer_until\": \"%s\"}}"
            .formatted(Instant.now().plus(Duration.ofDays(1))));
    PlainBrowser buyer = new PlainBrowser(server);
    String order = buy(buyer);
    pay(buyer, order);
    List<String> codes = codes(buyer, order);
    String forms = "/o/" + order + "/tickets/1";
    assertThat(buyer.form(forms, "name=").statusCode()).isEqualTo(400);
    assertThat(buyer.form(forms, "name=" + "x".repeat(101)).statusCode()).isEqualTo(400);
    assertThat(buyer.form("/o/" + order + "/tickets/3", "name=Ming").statusCode()).isEqualTo(409);
    assertThat(new PlainBrowser(server).form(forms, "name=Eve").statusCode()).isEqualTo(404);
    assertThat(buyer.form(forms, "name=%3Cb%3EMing").statusCode()).isEqualTo(303);
    String page = buyer.page("/o/" + order + "/tickets").body();
    assertThat(page).contains("&lt;b&gt;Ming");
    Matcher found = LINK.matcher(page);
    assertThat(found.find()).isTrue();
    String link = found.group(1);
    String id = id(codes.getFirst());
    assertThat(link).as("who sees the link does not learn the code").doesNotContain(id);
    // The link of an offer that was withdrawn is worth nothing, also after another offer.
    assertThat(buyer.form(forms, "act=withdraw").statusCode()).isEqualTo(303);
    assertThat(new PlainBrowser(server).page(link).statusCode()).isEqualTo(404);
    assertThat(buyer.form(forms, "name=Ming").statusCode()).isEqualTo(303);
    assertThat(new PlainBrowser(server).page(link).statusCode()).isEqualTo(404);
    found = LINK.matcher(buyer.page("/o/" + order + "/tickets").body());
    assertThat(found.find()).isTrue();
    link = found.group(1);

    PlainBrowser ming = new PlainBrowser(other);
    HttpResponse<String> offered = ming.page(link);
    assertThat(offered.body()).contains("Ming", "Accept the ticket").doesNotContain("class=\"qr\"");
    assertThat(offered.headers().firstValue("referrer-policy")).contains("same-origin");
    HttpResponse<String> taken = ming.form(link, "");
    assertThat(taken.statusCode()).isEqualTo(303);
    String own = taken.headers().firstValue("location").orElseThrow();
    // The answer was lost, so Ming presses again; Eve has the link from a chat.
    assertThat(ming.form(link, "").headers().firstValue("location")).contains(own);
    assertThat(ming.page(link).headers().firstValue("location")).contains(own);
    PlainBrowser eve = new PlainBrowser(server);
    assertThat(eve.form(link, "").body()).contains("id=\"gone\"").doesNotContain(own);
    assertThat(buyer.page("/o/" + order + "/tickets").body())
        .contains("has taken this ticket over")
        .doesNotContain(own);
    String fresh = TicketQr.of(ming.page(own).body()).getFirst();
    JsonNode replaced = scan(server, codes.getFirst());
    assertThat(result(replaced)).isEqualTo("replaced");
    assertThat(replaced.toString()).contains(id).doesNotContain(id(fresh));
    String blocked = server.admin("GET", "/products/" + product + "/tickets?limit=1", "");
    assertThat(blocked).contains(id, "after").doesNotContain(id(fresh));
    JsonNode admitted = scan(server, fresh);
    assertThat(result(admitted)).isEqualTo("admitted");
    assertThat(admitted.path("holder").asText()).isEqualTo("Ming");
    assertThat(buyer.form(forms, "name=Again").statusCode()).isEqualTo(409);
    // The name goes with the buyer's details.
    assertThat(server.admin("DELETE", "/orders/" + order + "/details", "{}")).contains("erased");
    assertThat(ming.page(own).body()).doesNotContain("Ming");
  }

  /// The id in the text of a QR code.
  private static String id(String code) {
    byte[] claims = Base64.getUrlDecoder().decode(code.split("\\.", -1)[1]);
    return json(new String(claims, StandardCharsets.UTF_8)).path("jti").asText();
  }

  @Test
  void strangersAndWrongInputGetNothing() {
    sale("{\"tickets\": {}}");
    PlainBrowser buyer = new PlainBrowser(server);
    String order = buy(buyer);
    pay(buyer, order);
    String code = codes(buyer, order).getFirst();
    assertThat(buyer.form("/o/" + order + "/tickets/1", "name=Ming").statusCode())
        .as("no transfers in this sale")
        .isEqualTo(409);
    assertThat(
            server.call("POST", "/api/admin/products/" + product + "/check-ins", "{}").statusCode())
        .isEqualTo(401);
    assertThat(send(server, product, code, "short").statusCode()).isEqualTo(400);
    assertThat(send(server, product, "x".repeat(513), "scan-long-text").statusCode())
        .isEqualTo(400);
    assertThat(send(server, "424242", code, "scan-no-sale").statusCode()).isEqualTo(404);
    assertThat(result(scan(server, code.replaceFirst("\\.[^.]+$", ".AAAA")))).isEqualTo("forged");
    assertThat(result(scan(server, "0000-0000-0000"))).isEqualTo("unknown");
    HttpResponse<String> keys = server.call("GET", "/api/products/" + product + "/ticket-keys", "");
    assertThat(keys.body()).contains("\"kty\":\"EC\"").doesNotContain("\"d\":");
    assertThat(server.call("GET", "/api/products/424242/ticket-keys", "").statusCode())
        .isEqualTo(404);
    for (String link : List.of("/t/x", "/t/7k4p92xm3tqa.k1.AAAAAAAAAAAAAAAAAAAAAA", "/t/a.b.c.d")) {
      assertThat(new PlainBrowser(server).page(link).statusCode()).as(link).isEqualTo(404);
    }
    HttpResponse<String> unknown =
        server.call(
            "PUT",
            "/api/admin/products/" + product + "/content",
            "{\"tickets\": {\"x\": 1}}",
            "Authorization",
            "Bearer " + TestFairgate.OPERATOR);
    assertThat(unknown.statusCode()).isEqualTo(400);
    assertThat(unknown.body()).contains("tickets.x");
  }

  @Test
  void thePeopleAtTheEntranceSeeNothingElse() {
    for (String path : List.of("/products", "/orders", "/bans", "/draws")) {
      assertThat(
              server
                  .call("GET", "/api/admin" + path, "", "Authorization", "Bearer " + gate)
                  .statusCode())
          .as(path)
          .isEqualTo(403);
    }
    TestOperator person = TestOperator.add(server, "entrance", Role.CHECKIN);
    HttpResponse<String> console = server.call("GET", "/console", "", "Cookie", person.cookie());
    assertThat(console.headers().firstValue("location")).contains("/console/check-in");
  }
}
