package fairgate.app.orders;

import static fairgate.app.orders.PlainBrowser.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Risk and appeals on waiting lists. The bundle seats IPv6 addresses behind, holds robots and
/// refuses tools.
class WaitingListRiskIT {
  private static final Pattern OFFER = Pattern.compile("id=\"offer\" href=\"/o/(order_[^\"]+)\"");
  private static final Pattern SEAT =
      Pattern.compile("id=\"seat\">([^<]*)<a href=\"(/appeal/[^\"]+)\"");
  private static final Pattern APPEAL = Pattern.compile("href=\"(/appeal/[A-Za-z0-9_-]+)\"");
  private static final String BROWSER =
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0"
          + " Safari/537.36";
  private static final String ROBOT = "Mozilla/5.0 (compatible; Googlebot/2.1)";
  private static final String TOOL = "curl/8.14.1";
  private static final AtomicInteger PRODUCTS = new AtomicInteger(790_000);
  private static final AtomicInteger ADDRESSES = new AtomicInteger();

  @TempDir private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final String product = Integer.toString(PRODUCTS.incrementAndGet());

  private static String rule(String code, String when, String band) {
    return """
        {"code": "%s", "when": "route == 'join' && !phone_verified && %s", "points": 1, "band": "%s",
         "reason": "network", "help": ["verify_phone"],
         "text": {"en": "a rule", "zh-Hant": "規則", "zh-Hans": "规则"}}"""
        .formatted(code, when, band);
  }

  @BeforeAll
  static void start() throws IOException {
    TestEngines.shared().flushRedis();
    Path bundle =
        Files.writeString(
            folder.resolve("bundle.json"),
            """
            {"format": 1, "schema": 1, "name": "test", "bands": {
              "low": {"action": "silent_check"}, "medium": {"from": 20, "action": "silent_check"},
              "high": {"from": 50, "action": "seat_behind"},
              "severe": {"from": 80, "action": "hold"},
              "critical": {"from": 100, "action": "refuse"}}, "rules": [%s, %s, %s]}
            """
                .formatted(
                    rule("behind", "address_family == 6", "high"),
                    rule("robot", "user_agent_kind == 'bot'", "severe"),
                    rule("tool", "user_agent_kind == 'tool'", "critical")));
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "limits",
                "on",
                "limit.ip",
                "1000/s",
                "limit.page",
                "1000/s",
                "limit.join",
                "1000/s",
                "limit.join_new",
                "off",
                "server.trusted_proxies",
                "127.0.0.1",
                "risk.mode",
                "enforce",
                "risk.bundle",
                bundle.toString()));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String v4() {
    return "198.51.8." + ADDRESSES.incrementAndGet();
  }

  private static String v6() {
    return "2001:db8:" + Integer.toHexString(0x800 + ADDRESSES.incrementAndGet()) + "::1";
  }

  /// Sells everything; returns the order.
  private String soldOut(String more) {
    server.createProduct(
        product,
        1,
        "{\"preset\": \"queue\", \"payment\": \"required\", \"payment_window_seconds\": 600,"
            + " \"active_capacity\": 50, \"unpaid_cooldown_seconds\": 0, \"units_per_ip\": null"
            + more
            + "}");
    server.openSale(product);
    Person buyer = new Person(v4());
    var _ = buyer.join();
    return buyer.browser.buy(product, 1).path("order_id").asText();
  }

  private String list() {
    return "/p/" + product + "/waiting-list";
  }

  private JsonNode entries() {
    return json(server.admin("GET", "/products/" + product + "/waiting-list", "")).path("entries");
  }

  /// A browser at an address.
  private final class Person {
    private final PlainBrowser browser = new PlainBrowser(server, "Accept-Language", "en");
    private String address;
    private String agent = BROWSER;

    Person(String address) {
      this.address = address;
    }

    HttpResponse<String> call(String method, String path, String body, String accept) {
      return browser.call(
          method, path, body, "X-Forwarded-For", address, "User-Agent", agent, "Accept", accept);
    }

    JsonNode join() {
      JsonNode joined =
          json(
              call(
                  "POST",
                  "/api/queue/join",
                  "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}"
                      .formatted(product),
                  "application/json"));
      assertThat(joined.has("session_id")).as(joined.toString()).isTrue();
      return joined;
    }

    HttpResponse<String> register(String accept) {
      return call("POST", list(), "quantity=1", accept);
    }

    Person registered() {
      HttpResponse<String> reply = register("text/html");
      assertThat(reply.statusCode()).as(reply.body()).isEqualTo(303);
      return this;
    }

    String page() {
      HttpResponse<String> page = call("GET", list(), "", "text/html");
      assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
      return page.body();
    }

    boolean hasOffer() {
      return OFFER.matcher(page()).find();
    }

    String offer() {
      Matcher offer = OFFER.matcher(Eventually.get("an offer", this::page, OFFER.asPredicate()));
      assertThat(offer.find()).isTrue();
      return offer.group(1);
    }

    /// What the page says about the seat, and the link to the appeal.
    String[] seat() {
      Matcher seat = SEAT.matcher(page());
      assertThat(seat.find()).as(page()).isTrue();
      return new String[] {seat.group(1), seat.group(2)};
    }

    /// Appeals against a decision, and is granted it.
    void appeal(String url, String decision) {
      HttpResponse<String> form =
          Eventually.get(
              "the decision is written",
              () -> call("GET", url, "", "text/html"),
              answer -> answer.statusCode() == 200);
      assertThat(form.body()).contains("<textarea");
      HttpResponse<String> filed =
          call("POST", url, "text=I+am+a+person+with+a+telephone.", "text/html");
      assertThat(filed.statusCode()).as(filed.body()).isEqualTo(201);
      long id =
          json(server.admin("GET", "/appeals?limit=1", ""))
              .path("appeals")
              .path(0)
              .path("id")
              .asLong();
      assertThat(
              server.admin("POST", "/appeals/" + id, "{" + decision + ", \"reason\": \"heard\"}"))
          .contains("\"granted\"");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPersonSeatedBehindInTheQueueIsBehindAllOthersOnTheListToo(boolean leavesBefore) {
    String sold = soldOut("");
    Person risky = new Person(v6());
    JsonNode joined = risky.join();
    assertThat(joined.path("seat").asText()).as(joined.toString()).isEqualTo("behind");
    if (leavesBefore) {
      assertThat(risky.call("POST", "/api/queue/leave", "", "application/json").statusCode())
          .isEqualTo(200);
    }
    // The address of the registration is no reason for the seat.
    risky.address = v4();
    assertThat(risky.registered().page()).contains("number 1");
    assertThat(risky.seat()[0]).contains("behind the others");
    assertThat(risky.seat()[1]).isEqualTo(joined.path("appeal_url").asText());

    Person later = new Person(v4());
    var _ = later.join();
    assertThat(later.registered().page()).contains("number 1").doesNotContain("id=\"seat\"");
    assertThat(risky.page()).contains("number 2");
    server.cancelOrder(sold);
    String offered = later.offer();
    assertThat(risky.hasOffer()).isFalse();
    server.cancelOrder(offered);
    assertThat(risky.offer()).isNotEmpty();
  }

  @Test
  void aRegistrationIsJudgedAsAJoinAndAGrantedAppealMovesItToItsPlace() {
    String sold = soldOut("");
    Person risky = new Person(v4());
    assertThat(risky.join().has("seat")).isFalse();
    risky.address = v6();
    assertThat(risky.registered().seat()[0]).contains("behind the others");
    Person later = new Person(v4());
    var _ = later.join();
    var _ = later.registered();
    assertThat(risky.page()).contains("number 2");
    JsonNode entry = entries().path(0);
    assertThat(entry.path("seat").asText()).isEqualTo("behind");
    assertThat(risky.seat()[1]).isEqualTo("/appeal/" + entry.path("decision_id").asText());

    risky.appeal(risky.seat()[1], "\"decision\": \"lift\"");
    assertThat(risky.page()).contains("number 1").doesNotContain("id=\"seat\"");
    assertThat(later.page()).contains("number 2");
    server.cancelOrder(sold);
    assertThat(risky.offer()).isNotEmpty();
    assertThat(later.hasOffer()).isFalse();
  }

  @Test
  void anAppealThatIsGrantedBeforeTheRegistrationCounts() {
    var _ = soldOut("");
    Person risky = new Person(v6());
    JsonNode joined = risky.join();
    assertThat(risky.call("POST", "/api/queue/leave", "", "application/json").statusCode())
        .isEqualTo(200);
    risky.appeal(joined.path("appeal_url").asText(), "\"decision\": \"lift\"");
    assertThat(risky.registered().page()).contains("number 1").doesNotContain("id=\"seat\"");
  }

  @Test
  void aRegistrationThatIsHeldGetsNoOfferBeforeItsReview() {
    String sold = soldOut("");
    Person robot = new Person(v4());
    var _ = robot.join();
    robot.agent = ROBOT;
    assertThat(robot.registered().seat()[0]).contains("has to review your place");
    Person later = new Person(v4());
    var _ = later.join();
    var _ = later.registered();
    server.cancelOrder(sold);
    server.cancelOrder(later.offer());
    String decision = entries().path(0).path("decision_id").asText();
    assertThat(robot.hasOffer()).isFalse();
    assertThat(
            server.admin(
                "POST",
                "/products/" + product + "/seats",
                "{\"decision_id\": \"%s\", \"seat\": \"in_order\", \"reason\": \"called\"}"
                    .formatted(decision)))
        .contains("in_order");
    assertThat(robot.offer()).isNotEmpty();
  }

  @Test
  void aRefusalByRiskLinksToItsAppealAndAGrantedOneRegisters() {
    var _ = soldOut("");
    Person tool = new Person(v4());
    var _ = tool.join();
    tool.agent = TOOL;
    HttpResponse<String> page = tool.register("text/html");
    assertThat(page.statusCode()).as(page.body()).isEqualTo(403);
    assertThat(page.body()).contains("looks like a program", "Verify a telephone number.");
    assertThat(APPEAL.matcher(page.body()).find()).as(page.body()).isTrue();
    JsonNode refused = json(tool.register("application/json"));
    assertThat(refused.path("error").asText()).isEqualTo("RISK_REFUSED");
    assertThat(refused.path("decision_id").asText()).isNotEmpty();
    assertThat(entries()).isEmpty();
    tool.appeal(refused.path("appeal_url").asText(), "\"decision\": \"lift\"");
    assertThat(tool.registered().page()).contains("number 1");
  }

  @Test
  void theLimitOfANetworkLinksToItsAppealAndAGrantedOneRegisters() {
    var _ = soldOut(", \"places_per_ip\": 1");
    String address = v4();
    Person first = new Person(address);
    var _ = first.join();
    var _ = first.registered();
    Person second = new Person(address);
    var _ = second.join();
    HttpResponse<String> page = second.register("text/html");
    assertThat(page.statusCode()).isEqualTo(409);
    assertThat(page.body()).contains("Too many people of your network", "<code>");
    assertThat(APPEAL.matcher(page.body()).find()).as(page.body()).isTrue();
    JsonNode refused = json(second.register("application/json"));
    assertThat(refused.path("error").asText()).as("a program").isEqualTo("NETWORK_LIMIT_REACHED");
    assertThat(refused.path("decision_id").asText()).isNotEmpty();
    second.appeal(
        refused.path("appeal_url").asText(), "\"decision\": \"allow\", \"duration_seconds\": 3600");
    assertThat(second.registered().page()).contains("number 2");
  }

  @Test
  void refusalsThatAreNoDecisionsAboutAPersonHaveTheirCode() {
    String sold = soldOut("");
    Person person = new Person(v4());
    assertThat(json(person.register("application/json")).path("error").asText())
        .isEqualTo("NOT_IN_QUEUE");
    var _ = person.join();
    server.cancelOrder(sold);
    Eventually.await(
        "the unit is free",
        () ->
            json(person.register("application/json"))
                .path("error")
                .asText()
                .equals("SALE_STATE_CONFLICT"));
  }
}
