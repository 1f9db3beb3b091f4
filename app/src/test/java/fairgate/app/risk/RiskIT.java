package fairgate.app.risk;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every action of risk over a socket, on the whole server with real engines. The bundle judges by
/// the address, the cookie and the number of units, so the test chooses the action.
class RiskIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TOKEN = "XXXX.DUMMY.TOKEN.XXXX";
  private static final AtomicInteger PRODUCTS = new AtomicInteger(770_000);
  private static final AtomicInteger ADDRESSES = new AtomicInteger();
  private static final AtomicInteger CALLS = new AtomicInteger();
  private static final String REASON = "IHaveNoOtherNetwork";
  private static final String TEXT =
      "\"text\": {\"en\": \"a rule\", \"zh-Hant\": \"規則\", \"zh-Hans\": \"规则\"}";

  /// A browser without a cookie: IPv4 is challenged, IPv6 is seated behind. With one, IPv4 passes
  /// and IPv6 is refused.
  private static final List<String> RULES =
      List.of(
          rule("challenged", "route == 'join' && address_family == 4 && !has_cookie", "high"),
          rule("behind", "route == 'join' && address_family == 6 && !has_cookie", "severe"),
          rule("refused", "route == 'join' && address_family == 6 && has_cookie", "critical"),
          rule("greedy", "route == 'purchase' && quantity == 2", "critical"),
          rule("moved", "route == 'purchase' && address_family == 6", "critical"),
          rule("handed_over", "route == 'purchase' && quantity == 3", "severe"),
          rule("claims", "route == 'claim' && address_family == 6", "critical"),
          rule("crawler", "route == 'claim' && user_agent_kind == 'bot'", "critical"));

  @TempDir private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static PostgresAddress database;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final String product = Integer.toString(PRODUCTS.incrementAndGet());

  private static String rule(String code, String when, String band) {
    return """
    {"code": "%s", "when": "!phone_verified && (%s)", "points": 1, "band": "%s", "reason": "network",
     "help": ["verify_phone"], %s}\
    """
        .formatted(code, when, band, TEXT);
  }

  private static Path bundle(String severe) throws IOException {
    return Files.writeString(
        folder.resolve(severe + ".json"),
        """
        {"format": 1, "schema": 1, "name": "test", "bands": {
          "low": {"action": "pass"}, "medium": {"from": 20, "action": "silent_check"},
          "high": {"from": 50, "action": "challenge"}, "severe": {"from": 80, "action": "%s"},
          "critical": {"from": 100, "action": "refuse"}}, "rules": [%s]}
        """
            .formatted(severe, String.join(",", RULES)));
  }

  private static TestFairgate start(TestEngines engines, PostgresAddress in, String... settings)
      throws IOException {
    Map<String, String> all = new HashMap<>();
    all.put("server.trusted_proxies", "127.0.0.1");
    all.put("risk.mode", "enforce");
    all.put("risk.bundle", bundle("seat_behind").toString());
    for (int i = 0; i < settings.length; i += 2) {
      all.put(settings[i], settings[i + 1]);
    }
    return TestFairgate.start(engines, in, all);
  }

  @BeforeAll
  static void start() throws IOException {
    database = TestEngines.shared().freshDatabase();
    server = start(TestEngines.shared(), database);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static JsonNode json(HttpResponse<String> reply) {
    try {
      return JSON.readTree(reply.body());
    } catch (IOException e) {
      throw new AssertionError(reply.body(), e);
    }
  }

  private static String v4() {
    return "198.51." + ADDRESSES.incrementAndGet() / 200 + "." + ADDRESSES.get() % 200;
  }

  private static String v6() {
    return "2001:db8:" + Integer.toHexString(ADDRESSES.incrementAndGet()) + "::1";
  }

  private void open(TestFairgate at) {
    at.createProduct(product, 5, "{\"preset\": \"queue\", \"active_capacity\": 1}");
    at.openSale(product);
  }

  /// A cookie of a browser.
  private static String cookie(TestFairgate at) {
    return at.callUntilAccepted("GET", "/api/challenge?product_id=1", "")
        .headers()
        .firstValue("set-cookie")
        .orElseThrow()
        .replaceFirst(";.*", "");
  }

  private HttpResponse<String> join(
      TestFairgate at, String token, String address, String... headers) {
    List<String> all = new ArrayList<>(List.of(headers));
    all.addAll(List.of("X-Forwarded-For", address));
    return at.callUntilAccepted(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"%s\",\"turnstile_token\":\"%s\"}".formatted(product, token),
        all.toArray(String[]::new));
  }

  private static JsonNode status(TestFairgate at, JsonNode joined) {
    return json(
        at.callUntilAccepted(
            "GET", "/api/queue/status", "", "X-Session-Id", joined.path("session_id").asText()));
  }

  private static void explained(JsonNode reply) {
    assertThat(reply.path("decision_id").asText()).hasSize(22);
    assertThat(reply.path("reason").asText()).isEqualTo("network");
    assertThat(reply.path("reason_text").asText()).isNotBlank();
    assertThat(reply.path("help").get(0).asText()).isEqualTo("verify_phone");
    assertThat(reply.path("help_text").get(0).asText()).isNotBlank();
    assertThat(reply.path("appeal_url").asText())
        .isEqualTo("/appeal/" + reply.path("decision_id").asText());
  }

  /// The columns of a decision, when it is written.
  private static Map<String, String> decision(PostgresAddress in, String where, String value) {
    return Eventually.get(
        "the decision is written", () -> read(in, where, value), found -> !found.isEmpty());
  }

  private static Map<String, String> read(PostgresAddress in, String where, String value) {
    try (Connection connection =
            DriverManager.getConnection(TestEngines.jdbcUrl(in), in.user(), in.password());
        PreparedStatement query =
            connection.prepareStatement(
                "SELECT * FROM risk_decisions WHERE " + where + " = ? ORDER BY at DESC LIMIT 1")) {
      query.setString(1, value);
      Map<String, String> found = new HashMap<>();
      try (ResultSet rows = query.executeQuery()) {
        if (rows.next()) {
          for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
            found.put(rows.getMetaData().getColumnName(i), String.valueOf(rows.getString(i)));
          }
        }
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aLowRiskJoinsWithoutAChallenge() {
    open(server);
    String address = v4();
    String cookie = cookie(server);
    HttpResponse<String> reply =
        Eventually.get(
            "the features are there in time, so that the challenge is spared",
            () -> join(server, "", address, "Cookie", cookie),
            answer -> answer.statusCode() == 200);
    assertThat(json(reply).has("decision_id")).isFalse();
    Map<String, String> row = decision(database, "sale", product);
    assertThat(row).containsEntry("action", "pass").containsEntry("applied", "t");
    assertThat(row.get("latency_us")).matches("[0-9]+");
  }

  @Test
  void aMiddleRiskNeedsAHarderChallenge() {
    open(server);
    HttpResponse<String> refused = join(server, "", v4(), "Accept-Language", "zh-TW");
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(json(refused).path("error").asText()).isEqualTo("CHALLENGE_REQUIRED");
    explained(json(refused));
    assertThat(json(refused).path("reason_text").asText()).contains("網路");
    assertThat(join(server, TOKEN, v4()).statusCode()).isEqualTo(200);
  }

  @Test
  void aHighRiskIsSeatedBehindWhoComesLater() {
    open(server);
    String busy = v4();
    assertThat(join(server, TOKEN, busy).statusCode()).isEqualTo(200);
    JsonNode behind = json(join(server, TOKEN, v6()));
    assertThat(behind.path("success").asBoolean()).as(behind.toString()).isTrue();
    assertThat(behind.path("seat").asText()).isEqualTo("behind");
    explained(behind);
    JsonNode later = json(join(server, TOKEN, v4()));
    assertThat(later.has("seat")).isFalse();
    JsonNode place = status(server, behind);
    assertThat(place.path("seat").asText()).isEqualTo("behind");
    assertThat(place.path("decision_id")).isEqualTo(behind.path("decision_id"));
    assertThat(place.path("people_ahead").asInt())
        .isGreaterThan(status(server, later).path("people_ahead").asInt());
    assertThat(decision(database, "id", behind.path("decision_id").asText()))
        .containsEntry("action", "seat_behind")
        .containsEntry("band", "severe")
        .containsEntry("reasons", "{behind:1}");
  }

  @Test
  void aHighRiskStillNeedsTheChallenge() {
    open(server);
    HttpResponse<String> reply = join(server, "", v6());
    assertThat(reply.statusCode()).isEqualTo(403);
    assertThat(json(reply).path("error").asText()).isEqualTo("INVALID_TURNSTILE_TOKEN");
  }

  @Test
  void aVeryHighRiskIsRefusedWithAReasonAndAWayToAppeal() {
    open(server);
    Map<String, String> row =
        Eventually.get(
            "the features are there in time",
            () -> {
              HttpResponse<String> refused = join(server, TOKEN, v6(), "Cookie", cookie(server));
              assertThat(refused.statusCode()).isEqualTo(403);
              assertThat(json(refused).path("error").asText()).isEqualTo("RISK_REFUSED");
              explained(json(refused));
              return decision(database, "id", json(refused).path("decision_id").asText());
            },
            each -> "f".equals(each.get("degraded")));
    assertThat(row).containsEntry("route", "join").containsEntry("action", "refuse");
  }

  @Test
  void aHeldPlaceIsNotServed() throws IOException {
    PostgresAddress fresh = TestEngines.shared().freshDatabase();
    try (TestFairgate holding =
        start(TestEngines.shared(), fresh, "risk.bundle", bundle("hold").toString())) {
      holding.createProduct(
          product,
          5,
          "{\"preset\": \"queue\", \"active_capacity\": 1, \"payment\": \"required\","
              + " \"payment_window_seconds\": 600}");
      holding.openSale(product);
      JsonNode held = json(join(holding, TOKEN, v6()));
      assertThat(held.path("seat").asText()).as(held.toString()).isEqualTo("held");
      JsonNode other = json(join(holding, TOKEN, v4()));
      Eventually.await(
          "the other one is served",
          () -> !status(holding, other).path("queue_status").asText().equals("waiting"));
      assertThat(status(holding, held).path("queue_status").asText()).isEqualTo("waiting");
      assertThat(status(holding, held).path("seat").asText()).isEqualTo("held");
      HttpResponse<String> listed =
          holding.call(
              "POST",
              "/p/" + product + "/waiting-list",
              "quantity=1",
              "X-Session-Id",
              held.path("session_id").asText(),
              "Sec-Fetch-Site",
              "same-origin",
              "Accept-Language",
              "en");
      assertThat(listed.statusCode()).as(listed.body()).isEqualTo(409);
      assertThat(listed.body()).contains("has to review your place first");
      String reviewed =
          "{\"decision_id\":\"%s\",\"seat\":\"in_order\",\"reason\":\"called her\"}"
              .formatted(held.path("decision_id").asText());
      assertThat(holding.admin("POST", "/products/" + product + "/seats", reviewed))
          .contains("in_order");
      assertThat(status(holding, held).has("seat")).isFalse();
      holding.admin("POST", "/products/" + product + "/seats", reviewed);
      assertThat(holding.metrics().body())
          .as("a repeat takes nothing back")
          .contains("fairgate_reversals_total{decision=\"place\"} 1.0");
    }
  }

  @Test
  void aRiskyPurchaseIsRefusedAndSellsNothing() {
    server.createProduct(
        product,
        5,
        "{\"preset\": \"queue\", \"max_quantity\": 2, \"max_per_user\": 2, \"max_per_device\": 2}");
    server.openSale(product);
    JsonNode joined = json(join(server, TOKEN, v4()));
    turn(joined);
    HttpResponse<String> refused = buy(joined, 2);
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
    assertThat(json(refused).path("error").asText()).isEqualTo("RISK_REFUSED");
    explained(json(refused));
    HttpResponse<String> bought = buy(joined, 1);
    assertThat(bought.statusCode()).as(bought.body()).isEqualTo(200);
    assertThat(json(bought).path("remaining_stock").asInt()).isEqualTo(4);
    assertThat(decision(database, "id", json(refused).path("decision_id").asText()))
        .containsEntry("route", "purchase");
  }

  private HttpResponse<String> buy(JsonNode joined, int quantity, String... headers) {
    List<String> all = new ArrayList<>(List.of(headers));
    all.addAll(List.of("X-Session-Id", joined.path("session_id").asText()));
    if (!all.contains("Idempotency-Key")) {
      all.addAll(List.of("Idempotency-Key", "call-" + CALLS.incrementAndGet()));
    }
    return server.callUntilAccepted(
        "POST",
        "/api/purchase",
        "{\"product_id\":\"%s\",\"quantity\":%d}".formatted(product, quantity),
        all.toArray(String[]::new));
  }

  @Test
  void aRepeatOfAPurchaseGetsTheFirstReplyWhateverItsRiskIsNow() {
    open(server);
    JsonNode joined = json(join(server, TOKEN, v4()));
    Eventually.await(
        "the turn has come",
        () -> status(server, joined).path("queue_status").asText().equals("ready_to_purchase"));
    String moved = v6();
    HttpResponse<String> refused =
        buy(joined, 1, "Idempotency-Key", "first", "X-Forwarded-For", moved);
    assertThat(json(refused).path("error").asText()).isEqualTo("RISK_REFUSED");
    HttpResponse<String> bought =
        buy(joined, 1, "Idempotency-Key", "first", "X-Forwarded-For", v4());
    assertThat(bought.statusCode()).as(bought.body()).isEqualTo(200);
    HttpResponse<String> repeated =
        buy(joined, 1, "Idempotency-Key", "first", "X-Forwarded-For", moved);
    assertThat(repeated.statusCode()).as(repeated.body()).isEqualTo(200);
    assertThat(repeated.body()).isEqualTo(bought.body());
    HttpResponse<String> other =
        buy(joined, 1, "Idempotency-Key", "second", "X-Forwarded-For", moved);
    assertThat(json(other).path("error").asText()).isEqualTo("RISK_REFUSED");
    String last = json(other).path("decision_id").asText();
    assertThat(decision(database, "id", last)).as("the earlier ones are written").isNotEmpty();
    assertThat(decisions("purchase")).as("the repeat decides nothing").isBetween(2, 3);
  }

  @Test
  void aPurchaseThatComesWhenTheUnitsAreGoneIsNotRecorded() {
    server.createProduct(
        product,
        4,
        "{\"preset\": \"queue\", \"ready_slots\": 5, \"max_quantity\": 4, \"max_per_user\": 4}");
    server.openSale(product);
    JsonNode first = json(join(server, TOKEN, v4()));
    JsonNode second = json(join(server, TOKEN, v4()));
    turn(first);
    turn(second);
    assertThat(buy(first, 9).statusCode()).as("more than anybody may buy").isEqualTo(400);
    assertThat(buy(first, 1).statusCode()).isEqualTo(200);
    assertThat(json(buy(second, 4)).path("error").asText()).isEqualTo("INSUFFICIENT_STOCK");
    assertThat(json(buy(second, 4, "X-Forwarded-For", v6())).path("error").asText())
        .as("no risk could change that")
        .isEqualTo("INSUFFICIENT_STOCK");
    String last = json(join(server, TOKEN, v6())).path("decision_id").asText();
    assertThat(decision(database, "id", last)).as("the earlier ones are written").isNotEmpty();
    assertThat(decisions("purchase")).as("the sale, if it is in the sample").isLessThan(2);
  }

  @Test
  void aRepeatOfAJoinDecidesNothing() {
    open(server);
    String address = v4();
    HttpResponse<String> first = join(server, TOKEN, address);
    String cookie = first.headers().firstValue("set-cookie").orElseThrow().replaceFirst(";.*", "");
    HttpResponse<String> repeated = join(server, TOKEN, address, "Cookie", cookie);
    assertThat(json(repeated).path("session_id")).isEqualTo(json(first).path("session_id"));
    String other = json(join(server, TOKEN, v6())).path("decision_id").asText();
    assertThat(decision(database, "id", other)).as("the earlier ones are written").isNotEmpty();
    assertThat(decisions("join")).isEqualTo(2);
  }

  /// The number of recorded decisions of the sale.
  private int decisions(String route) {
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(database), database.user(), database.password());
        PreparedStatement query =
            connection.prepareStatement(
                "SELECT count(*) FROM risk_decisions WHERE sale = ? AND route = ?")) {
      query.setString(1, product);
      query.setString(2, route);
      try (ResultSet rows = query.executeQuery()) {
        rows.next();
        return rows.getInt(1);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aClaimIsJudgedByItsHeadersAndRefusedInItsLanguage() {
    String claim =
        "{\"order_id\":\"TB20260108123456789\",\"product_id\":\"%s\",\"device_id\":\"d\"}"
            .formatted(product);
    HttpResponse<String> refused =
        server.call(
            "POST",
            "/api/redeem/claim",
            claim,
            "X-Forwarded-For",
            v4(),
            "User-Agent",
            "Crawler/1.0",
            "Accept-Language",
            "zh-TW");
    assertThat(json(refused).path("error").asText()).as(refused.body()).isEqualTo("RISK_REFUSED");
    explained(json(refused));
    assertThat(json(refused).path("reason_text").asText()).contains("網路");
    assertThat(decision(database, "id", json(refused).path("decision_id").asText()))
        .containsEntry("reasons", "{crawler:1}");
  }

  @Test
  void aRiskyPurchaseLosesItsTurnOnceAndBuysWhenItComesAgain() {
    server.createProduct(
        product,
        5,
        "{\"preset\": \"queue\", \"active_capacity\": 1, \"max_quantity\": 3, \"max_per_user\": 3,"
            + " \"max_per_device\": 3, \"units_per_ip\": 3}");
    server.openSale(product);
    JsonNode risky = json(join(server, TOKEN, v4()));
    turn(risky);
    JsonNode other = json(join(server, TOKEN, v4()));
    JsonNode moved = json(buy(risky, 3));
    assertThat(moved.path("error").asText()).as(moved.toString()).isEqualTo("NOT_READY");
    assertThat(moved.path("seat").asText()).isEqualTo("behind");
    explained(moved);
    JsonNode place = status(server, risky);
    assertThat(place.path("queue_status").asText()).isEqualTo("waiting");
    assertThat(place.path("decision_id")).isEqualTo(moved.path("decision_id"));
    assertThat(decision(database, "id", moved.path("decision_id").asText()))
        .containsEntry("route", "purchase")
        .containsEntry("action", "seat_behind");
    turn(other);
    assertThat(buy(other, 1).statusCode()).isEqualTo(200);
    turn(risky);
    HttpResponse<String> bought = buy(risky, 3);
    assertThat(bought.statusCode()).as(bought.body()).isEqualTo(200);
  }

  private static void turn(JsonNode joined) {
    Eventually.await(
        "the turn has come",
        () -> status(server, joined).path("queue_status").asText().equals("ready_to_purchase"));
  }

  @Test
  void aRiskyClaimIsRefusedAndAGuessedNumberIsNotRecorded() {
    String claim =
        "{\"order_id\":\"TB20260108123456789\",\"product_id\":\"%s\",\"device_id\":\"d\"}"
            .formatted(product);
    HttpResponse<String> refused =
        server.call("POST", "/api/redeem/claim", claim, "X-Forwarded-For", v6());
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
    assertThat(json(refused).path("error").asText()).isEqualTo("RISK_REFUSED");
    explained(json(refused));
    HttpResponse<String> usual =
        server.call("POST", "/api/redeem/claim", claim, "X-Forwarded-For", v4());
    assertThat(json(usual).path("error").asText()).isNotEqualTo("RISK_REFUSED");
    HttpResponse<String> again =
        server.call("POST", "/api/redeem/claim", claim, "X-Forwarded-For", v6());
    assertThat(decision(database, "id", json(again).path("decision_id").asText()))
        .containsEntry("route", "claim")
        .containsEntry("action", "refuse");
    assertThat(decisions("claim")).as("the two refusals by risk").isEqualTo(2);
  }

  @Test
  void aRiskyClaimByFormLeadsToAnAppeal() {
    String form = "order=TB20260108123456789&product=" + product;
    HttpResponse<String> page =
        server.call(
            "POST",
            "/claim",
            form,
            "X-Forwarded-For",
            v6(),
            "Sec-Fetch-Site",
            "same-origin",
            "Accept-Language",
            "zh-TW");
    assertThat(page.statusCode()).as(page.body()).isEqualTo(403);
    assertThat(page.body())
        .contains("data-problem=\"risk_refused\"", "href=\"/appeal/", "網路看起來像", "驗證電話號碼。");
  }

  @Test
  void observingRecordsAndChangesNothing() throws IOException {
    PostgresAddress fresh = TestEngines.shared().freshDatabase();
    try (TestFairgate observing = start(TestEngines.shared(), fresh, "risk.mode", "observe")) {
      open(observing);
      JsonNode joined = json(join(observing, TOKEN, v6(), "Cookie", cookie(observing)));
      assertThat(joined.path("success").asBoolean()).as(joined.toString()).isTrue();
      assertThat(joined.has("decision_id")).isFalse();
      assertThat(decision(fresh, "sale", product))
          .containsEntry("action", "refuse")
          .containsEntry("applied", "f");
    }
  }

  @Test
  void aSaleGoesOnWhileTheStoreOfDecisionsIsAway() throws IOException {
    try (TestEngines engines = TestEngines.privateEngines()) {
      PostgresAddress own = engines.freshDatabase();
      try (TestFairgate going = start(engines, own)) {
        open(going);
        assertThat(join(going, TOKEN, v4()).statusCode()).isEqualTo(200);
        assertThat(decision(own, "sale", product)).isNotEmpty();
        engines.pausePostgres();
        JsonNode behind;
        try {
          behind = json(join(going, TOKEN, v6()));
          assertThat(behind.path("seat").asText()).as(behind.toString()).isEqualTo("behind");
          HttpResponse<String> appeal = appeal(going, behind);
          assertThat(appeal.statusCode()).as(appeal.body()).isEqualTo(503);
          assertThat(appeal.headers().firstValue("retry-after")).isPresent();
          assertThat(appeal.body()).as("the letter is kept").contains(REASON);
        } finally {
          engines.resumePostgres();
        }
        // 200 for one whose first answer came too late.
        Eventually.await("the appeal is accepted", () -> appeal(going, behind).statusCode() <= 201);
      }
    }
  }

  private static HttpResponse<String> appeal(TestFairgate at, JsonNode demoted) {
    return at.call(
        "POST",
        demoted.path("appeal_url").asText(),
        "text=" + REASON,
        "Sec-Fetch-Site",
        "same-origin");
  }
}
