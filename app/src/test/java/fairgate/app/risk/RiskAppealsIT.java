package fairgate.app.risk;

import static fairgate.app.risk.AppealServer.cookies;
import static fairgate.app.risk.AppealServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
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
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Appeals against decisions on risk, on the whole server. The bundle seats IPv6 browsers without a
/// cookie behind and refuses those with one.
class RiskAppealsIT {
  private static final String TOKEN = "XXXX.DUMMY.TOKEN.XXXX";
  private static final Pattern APPEAL = Pattern.compile("href=\"(/appeal/([A-Za-z0-9_-]+))\"");
  private static final AtomicInteger PRODUCTS = new AtomicInteger(780_000);
  private static final AtomicInteger ADDRESSES = new AtomicInteger();

  @TempDir private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static PostgresAddress database;

  @SuppressWarnings("NullAway.Init")
  private static AppealServer appeals;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final String product = Integer.toString(PRODUCTS.incrementAndGet());

  private static String rule(String code, String when, String band) {
    return """
        {"code": "%s", "when": "route == 'join' && address_family == 6 && !phone_verified && %s", "points": 1,
         "band": "%s", "reason": "network", "help": ["verify_phone"],
         "text": {"en": "a rule", "zh-Hant": "規則", "zh-Hans": "规则"}}"""
        .formatted(code, when, band);
  }

  @BeforeAll
  static void start() throws IOException {
    Path bundle =
        Files.writeString(
            folder.resolve("bundle.json"),
            """
            {"format": 1, "schema": 1, "name": "test", "bands": {
              "low": {"action": "silent_check"}, "medium": {"from": 20, "action": "silent_check"},
              "high": {"from": 50, "action": "challenge"},
              "severe": {"from": 80, "action": "seat_behind"},
              "critical": {"from": 100, "action": "refuse"}}, "rules": [%s, %s]}
            """
                .formatted(
                    rule("behind", "!has_cookie", "severe"),
                    rule("refused", "has_cookie", "critical")));
    database = TestEngines.shared().freshDatabase();
    appeals =
        AppealServer.start(
            database, Map.of("risk.mode", "enforce", "risk.bundle", bundle.toString()));
    server = appeals.server();
  }

  @AfterAll
  static void stop() {
    appeals.close();
  }

  private static String v4() {
    return "198.51.7." + ADDRESSES.incrementAndGet();
  }

  private static String v6() {
    return "2001:db8:" + Integer.toHexString(ADDRESSES.incrementAndGet()) + "::1";
  }

  private void open() {
    server.createProduct(product, 5, "{\"preset\": \"queue\", \"active_capacity\": 1}");
    server.openSale(product);
  }

  private static String cookie() {
    return cookies(server.callUntilAccepted("GET", "/api/challenge?product_id=1", ""));
  }

  private static HttpResponse<String> call(
      String method, String path, String body, String address, String... headers) {
    return appeals.visitor(address).call(method, path, body, headers);
  }

  private HttpResponse<String> join(String address, String... headers) {
    return call(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"%s\",\"turnstile_token\":\"%s\"}".formatted(product, TOKEN),
        address,
        headers);
  }

  private static JsonNode status(JsonNode joined) {
    return json(
        server
            .callUntilAccepted(
                "GET", "/api/queue/status", "", "X-Session-Id", joined.path("session_id").asText())
            .body());
  }

  /// Files an appeal when the decision is written; returns its id.
  private static long file(JsonNode reply, String address, String... headers) {
    String page = reply.path("appeal_url").asText();
    assertThat(page).as(reply.toString()).startsWith("/appeal/");
    HttpResponse<String> form =
        Eventually.get(
            "the decision is written",
            () -> call("GET", page, "", address, headers),
            answer -> answer.statusCode() == 200);
    // The page tells no names of rules, and does not send the person elsewhere for the reason.
    assertThat(form.body()).contains("<textarea").doesNotContain("behind:", "a rule", "severe");
    HttpResponse<String> filed =
        call("POST", page, "text=I+am+a+person+with+a+telephone.", address, headers);
    assertThat(filed.statusCode()).as(filed.body()).isEqualTo(201);
    return json(server.admin("GET", "/appeals?limit=1", ""))
        .path("appeals")
        .path(0)
        .path("id")
        .asLong();
  }

  private static long outcomes(String decision, String kind) {
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(database), database.user(), database.password());
        PreparedStatement query =
            connection.prepareStatement(
                "SELECT count(*) FROM risk_outcomes WHERE decision = ? AND kind = ?")) {
      query.setString(1, decision);
      query.setString(2, kind);
      try (ResultSet rows = query.executeQuery()) {
        assertThat(rows.next()).isTrue();
        return rows.getLong(1);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aGrantedAppealMovesAPlaceToWhereItWouldHaveBeen() {
    open();
    var _ = join(v4());
    String address = v6();
    HttpResponse<String> first = join(address);
    JsonNode behind = json(first.body());
    assertThat(behind.path("seat").asText()).as(behind.toString()).isEqualTo("behind");
    JsonNode later = json(join(v4()).body());
    String session = behind.path("session_id").asText();
    assertThat(call("GET", "/p/" + product, "", address, "X-Session-Id", session).body())
        .as("the page without JavaScript")
        .contains("href=\"" + behind.path("appeal_url").asText() + "\"");
    long id = file(behind, address, "Cookie", cookies(first));
    JsonNode evidence = json(server.admin("GET", "/appeals/" + id, ""));
    assertThat(evidence.path("code").asText()).isEqualTo("SEAT_BEHIND");
    assertThat(evidence.path("rules").path(0).asText()).isEqualTo("risk.behind");
    assertThat(evidence.path("risk").path("action").asText()).isEqualTo("seat_behind");
    assertThat(evidence.path("on_sale").asBoolean()).isTrue();
    String _ = server.admin("POST", "/appeals/" + id, "{\"decision\":\"lift\",\"reason\":\"her\"}");
    assertThat(status(behind).has("seat")).isFalse();
    assertThat(status(behind).path("people_ahead").asInt())
        .isLessThan(status(later).path("people_ahead").asInt());
    assertThat(outcomes(behind.path("decision_id").asText(), "appeal_won")).isEqualTo(1);
    assertThat(
            json(server.call("GET", "/api/products/" + product + "/appeals", "").body())
                .has("decisions"))
        .isTrue();
  }

  @Test
  void aLostAppealIsRememberedAndChangesNoPlace() {
    open();
    var _ = join(v4());
    String address = v6();
    HttpResponse<String> first = join(address);
    JsonNode behind = json(first.body());
    long id = file(behind, address, "Cookie", cookies(first));
    String _ =
        server.admin(
            "POST",
            "/appeals/" + id,
            "{\"decision\":\"refuse\",\"grade\":\"warn\",\"reason\":\"a program\"}");
    assertThat(status(behind).path("seat").asText()).isEqualTo("behind");
    assertThat(outcomes(behind.path("decision_id").asText(), "appeal_lost")).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"allow\",\"duration_seconds\":3600", "\"lift\""})
  void aRefusedPersonJoinsAfterAGrantedAppeal(String decision) {
    open();
    String address = v6();
    String cookie = cookie();
    HttpResponse<String> refused = join(address, "Cookie", cookie);
    assertThat(json(refused.body()).path("error").asText()).isEqualTo("RISK_REFUSED");
    long id = file(json(refused.body()), address, "Cookie", cookie);
    String _ =
        server.admin(
            "POST", "/appeals/" + id, "{\"decision\":%s,\"reason\":\"her\"}".formatted(decision));
    JsonNode joined = json(join(address, "Cookie", cookie).body());
    assertThat(joined.path("success").asBoolean()).as(joined.toString()).isTrue();
    assertThat(joined.has("seat")).isFalse();
  }

  /// The refusal and the page of the appeal name the reason and what would help, each by itself.
  @ParameterizedTest
  @CsvSource({
    "en, The network looks like a data centre, Verify a telephone number.",
    "zh-TW, 網路看起來像資料中心, 驗證電話號碼。",
    "zh-CN, 网络看起来像数据中心, 验证电话号码。"
  })
  void aRefusalWithoutJavaScriptIsExplained(String language, String reason, String help) {
    open();
    String address = v6();
    String cookie = cookie();
    HttpResponse<String> refused =
        call(
            "POST",
            "/p/" + product + "/join",
            "",
            address,
            "Cookie",
            cookie,
            "Accept-Language",
            language);
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
    assertThat(refused.body()).contains(reason, help);
    Matcher link = APPEAL.matcher(refused.body());
    assertThat(link.find()).as(refused.body()).isTrue();
    assertThat(refused.body()).contains("<code>" + link.group(2) + "</code>");
    HttpResponse<String> form =
        Eventually.get(
            "the decision is written",
            () ->
                call(
                    "GET",
                    link.group(1),
                    "",
                    address,
                    "Cookie",
                    cookie,
                    "Accept-Language",
                    language),
            answer -> answer.statusCode() == 200);
    assertThat(form.body()).contains(reason, help, "<textarea");
    HttpResponse<String> stranger =
        call("GET", link.group(1), "", v6(), "Cookie", cookie(), "Accept-Language", language);
    assertThat(stranger.body()).contains("<textarea").doesNotContain(reason);
  }
}
