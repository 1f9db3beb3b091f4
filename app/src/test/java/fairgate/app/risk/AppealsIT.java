package fairgate.app.risk;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.SlowProxy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Appeals over HTTP: every refusal of a person leads to one, and operators decide it.
class AppealsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TEXT = "I share this network with my whole school.";
  private static final AtomicInteger ADDRESSES = new AtomicInteger();

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final String address = "198.18." + ADDRESSES.incrementAndGet() + ".9";

  @BeforeAll
  static void start() {
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "server.trusted_proxies",
                "127.0.0.1",
                "limits",
                "on",
                "limit.ip",
                "1000/s",
                "limit.page",
                "1000/s",
                "limit.register",
                "1/3600s"));
    server.createProduct("37", 50, "{\"preset\":\"queue\",\"places_per_ip\":1}");
    server.openSale("37");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static JsonNode json(String body) {
    try {
      return JSON.readTree(body);
    } catch (IOException e) {
      throw new AssertionError(body, e);
    }
  }

  private HttpResponse<String> call(String method, String path, String body, String... headers) {
    return server.call(
        method,
        path,
        body,
        Stream.concat(
                Stream.of(headers),
                Stream.of("X-Forwarded-For", address, "Sec-Fetch-Site", "same-origin"))
            .toArray(String[]::new));
  }

  private static HttpResponse<String> admin(String method, String path, String body) {
    return server.call(
        method,
        "/api/admin" + path,
        body,
        "Authorization",
        "Bearer " + TestFairgate.OPERATOR,
        "Accept-Language",
        "en");
  }

  private static long ban(String value) {
    return json(server.admin(
            "POST",
            "/bans",
            "{\"kind\":\"ip\",\"value\":\"%s\",\"reason\":\"secret\"}".formatted(value)))
        .path("id")
        .asLong();
  }

  /// The address of the appeal in a refusal.
  private static String appealOf(HttpResponse<String> refused) {
    JsonNode body = json(refused.body());
    String appeal = body.path("appeal_url").asText();
    assertThat(appeal).as(refused.body()).isEqualTo("/appeal/" + body.path("decision_id").asText());
    return appeal;
  }

  private String bannedAppeal() {
    long _ = ban(address);
    HttpResponse<String> refused = call("GET", "/api/products", "");
    assertThat(refused.statusCode()).isEqualTo(403);
    return appealOf(refused);
  }

  private static String form(String text, String contact) {
    return "text="
        + URLEncoder.encode(text, StandardCharsets.UTF_8)
        + "&contact="
        + URLEncoder.encode(contact, StandardCharsets.UTF_8);
  }

  private HttpResponse<String> file(String appeal) {
    return call("POST", appeal, form(TEXT, "ann@example.org"), "Accept-Language", "en");
  }

  private static JsonNode newest() {
    return json(admin("GET", "/appeals?limit=1", "").body()).path("appeals").path(0);
  }

  private long filed(String appeal) {
    HttpResponse<String> answer = file(appeal);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return newest().path("id").asLong();
  }

  private static HttpResponse<String> decide(long id, String body) {
    return admin("POST", "/appeals/" + id, body);
  }

  @Test
  void everyRefusalOfAPersonLeadsToAnAppealWithoutAnAccount() {
    HttpResponse<String> place = join();
    assertThat(place.statusCode()).as(place.body()).isEqualTo(200);
    HttpResponse<String> network = join();
    assertThat(json(network.body()).path("error").asText()).isEqualTo("NETWORK_LIMIT_REACHED");
    HttpResponse<String> limited = limited();
    long _ = ban(address);
    HttpResponse<String> banned = call("GET", "/p/37", "");
    assertThat(banned.statusCode()).isEqualTo(403);
    for (HttpResponse<String> refused : List.of(network, limited, banned)) {
      HttpResponse<String> page = call("GET", appealOf(refused), "", "Accept-Language", "en");
      assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
      assertThat(page.body())
          .contains("<form", "<textarea", "name=\"receipt\"")
          .doesNotContain("secret", "<script src");
    }
    String shown = call("GET", "/p/37", "", "Accept", "text/html").body();
    assertThat(shown).containsPattern("href=\"/appeal/[\\w-]{40,200}\"").doesNotContain("secret");
  }

  /// A refusal by the limit of registrations.
  private HttpResponse<String> limited() {
    return limited(address);
  }

  private static HttpResponse<String> limited(String address) {
    var _ = from(address, "/api/v1/register", "{}");
    HttpResponse<String> refused = from(address, "/api/v1/register", "{}");
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(429);
    return refused;
  }

  private HttpResponse<String> join() {
    return call(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"37\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}");
  }

  @Test
  void anOperatorReadsTheEvidenceAndLiftsTheBan() {
    String appeal = bannedAppeal();
    long id = filed(appeal);
    JsonNode evidence = json(admin("GET", "/appeals/" + id, "").body());
    assertThat(evidence.path("state").asText()).isEqualTo("open");
    assertThat(evidence.path("text").asText()).isEqualTo(TEXT);
    assertThat(evidence.path("contact").asText()).isEqualTo("ann@example.org");
    assertThat(evidence.path("address").asText()).isEqualTo(address);
    assertThat(evidence.path("same_network").asBoolean()).isTrue();
    assertThat(evidence.path("ban").path("reason").asText()).isEqualTo("secret");
    assertThat(evidence.path("rules").path(0).asText()).isEqualTo("ban.operator");
    Eventually.await(
        "the audit log has the refusal",
        () ->
            json(admin("GET", "/appeals/" + id, "").body())
                .path("events")
                .path(0)
                .path("event")
                .path("what")
                .asText()
                .equals("CLIENT_BANNED"));
    HttpResponse<String> decided =
        decide(id, "{\"decision\":\"lift\",\"reason\":\"a school\",\"answer\":\"Welcome back.\"}");
    assertThat(decided.statusCode()).as(decided.body()).isEqualTo(200);
    assertThat(json(decided.body()).path("state").asText()).isEqualTo("granted");
    assertThat(call("GET", "/api/products", "").statusCode()).isEqualTo(200);
    HttpResponse<String> again =
        decide(id, "{\"decision\":\"refuse\",\"grade\":\"a_year\",\"reason\":\"too late\"}");
    assertThat(again.statusCode()).isEqualTo(409);
    assertThat(json(again.body()).path("error").asText()).isEqualTo("APPEAL_STATE_CONFLICT");
    assertThat(json(again.body()).path("state").asText()).isEqualTo("granted");
  }

  @Test
  void theQueueIsReadInPagesAndFiltered() {
    long first = filed(bannedAppeal());
    String other = "198.18." + ADDRESSES.incrementAndGet() + ".9";
    long _ = ban(other);
    HttpResponse<String> refused =
        server.call("GET", "/api/products", "", "X-Forwarded-For", other);
    HttpResponse<String> answer =
        server.call(
            "POST",
            appealOf(refused),
            form(TEXT, ""),
            "X-Forwarded-For",
            other,
            "Sec-Fetch-Site",
            "same-origin");
    assertThat(answer.statusCode()).isEqualTo(201);
    String query = "/appeals?state=open&code=CLIENT_BANNED&rule=ban.operator&limit=1";
    JsonNode page = json(admin("GET", query, "").body());
    long before = 0;
    int seen = 0;
    while (!page.path("after").asText().isEmpty()) {
      JsonNode appeal = page.path("appeals").path(0);
      seen += appeal.path("id").asLong() >= first ? 1 : 0;
      assertThat(appeal.path("due_at").asLong()).isGreaterThanOrEqualTo(before);
      before = appeal.path("due_at").asLong();
      page = json(admin("GET", query + "&after=" + page.path("after").asText(), "").body());
    }
    assertThat(seen).isGreaterThanOrEqualTo(2);
    assertThat(json(admin("GET", "/appeals?overdue=true", "").body()).path("appeals")).isEmpty();
    assertThat(json(admin("GET", "/appeals?product_id=99", "").body()).path("appeals")).isEmpty();
  }

  @Test
  void badInputOfOperatorsIsRefusedWithItsField() {
    long id = filed(bannedAppeal());
    Map<String, String> bad =
        Map.of(
            "{\"decision\":\"lift\",\"reason\":\"x\",\"answer\":\"Hi \u202eann\"}", "answer",
            "{\"decision\":\"pardon\",\"reason\":\"x\"}", "decision",
            "{\"decision\":\"lift\"}", "reason",
            "{\"decision\":\"refuse\",\"reason\":\"x\"}", "grade",
            "{\"decision\":\"refuse\",\"grade\":\"lifetime\",\"reason\":\"x\"}", "grade",
            "{\"decision\":\"lift\",\"grade\":\"warn\",\"reason\":\"x\"}", "grade",
            "{\"decision\":\"allow\",\"reason\":\"x\"}", "duration_seconds",
            "{\"decision\":\"lift\",\"reason\":\"x\",\"duration_seconds\":5}", "duration_seconds",
            "{\"decision\":\"lift\",\"reason\":\"x\",\"until\":5}", "until");
    bad.forEach(
        (body, field) -> {
          HttpResponse<String> refused = decide(id, body);
          assertThat(refused.statusCode()).as(body).isEqualTo(400);
          assertThat(json(refused.body()).path("field").asText()).as(body).isEqualTo(field);
        });
    for (String query :
        List.of("?state=lost", "?after=x", "?limit=0", "?product_id=x", "?overdue=1", "?q=1")) {
      assertThat(admin("GET", "/appeals" + query, "").statusCode()).as(query).isEqualTo(400);
    }
    assertThat(admin("GET", "/appeals/x", "").statusCode()).isEqualTo(400);
    assertThat(admin("GET", "/appeals/999999", "").statusCode()).isEqualTo(404);
    assertThat(decide(999_999, "{\"decision\":\"lift\",\"reason\":\"x\"}").statusCode())
        .isEqualTo(404);
    assertThat(admin("POST", "/appeals/amnesty", "{\"rule\":\"x\",\"reason\":\"x\"}").statusCode())
        .isEqualTo(400);
    assertThat(server.call("GET", "/api/admin/appeals", "").statusCode()).isEqualTo(401);
    assertThat(newest().path("state").asText()).isEqualTo("open");
  }

  @Test
  void anAmnestyGrantsTheAppealsOfAVersionOfARule() {
    String other = "198.18." + ADDRESSES.incrementAndGet() + ".9";
    String earlier = appealOf(limited(other));
    HttpResponse<String> first = from(other, earlier, form(TEXT, ""));
    long refusedEarlier = newest().path("id").asLong();
    HttpResponse<String> refusal =
        decide(refusedEarlier, "{\"decision\":\"refuse\",\"grade\":\"30_days\",\"reason\":\"x\"}");
    assertThat(refusal.statusCode()).as(refusal.body()).isEqualTo(200);
    String receipt = "receipt=" + receiptOf(first);
    assertThat(from(other, earlier, receipt).body())
        .contains("Your appeal was refused.", "30 days");

    long _ = filed(appealOf(limited()));
    JsonNode one = newest();
    assertThat(one.path("rules").path(0).asText()).isEqualTo("limit.register");
    assertThat(one.path("version").asText()).isEqualTo("1/3600");
    String amnesty =
        "{\"rule\":\"%s\",\"version\":\"%s\",\"reason\":\"too strict\"}"
            .formatted(one.path("rules").path(0).asText(), one.path("version").asText());
    JsonNode done = json(admin("POST", "/appeals/amnesty", amnesty).body());
    assertThat(done.path("appeals").asInt()).as(done.toString()).isEqualTo(1);
    assertThat(done.path("repeated").asBoolean()).isFalse();
    JsonNode repeated = json(admin("POST", "/appeals/amnesty", amnesty).body());
    assertThat(repeated.path("appeals").asInt()).isZero();
    assertThat(repeated.path("repeated").asBoolean()).isTrue();
    assertThat(newest().path("state").asText()).isEqualTo("granted");
    shows(other, earlier, receipt, "an amnesty now lifts", "後來都已撤銷", "后来都已撤销");
    assertThat(from(other, earlier, receipt).body()).doesNotContain("30 days");
  }

  @Test
  void theAppealsOfOthersAreClosedWhenThatOfTheRefusedPersonIsGranted() {
    String other = "198.18." + ADDRESSES.incrementAndGet() + ".9";
    String appeal = appealOf(limited());
    HttpResponse<String> first = from(other, appeal, form(TEXT, ""));
    long closed = newest().path("id").asLong();
    long own = filed(appeal);
    assertThat(decide(own, "{\"decision\":\"lift\",\"reason\":\"x\"}").statusCode()).isEqualTo(200);
    JsonNode evidence = json(admin("GET", "/appeals/" + closed, "").body());
    assertThat(evidence.path("state").asText()).isEqualTo("closed");
    assertThat(evidence.path("reason").asText()).isEqualTo("appeal " + own + " was granted");
    assertThat(evidence.path("overdue").asBoolean()).isFalse();
    assertThat(admin("GET", "/appeals?state=closed", "").body()).contains("\"closed\"");
    HttpResponse<String> again = decide(closed, "{\"decision\":\"lift\",\"reason\":\"x\"}");
    assertThat(again.statusCode()).isEqualTo(409);
    shows(
        other,
        appeal,
        "receipt=" + receiptOf(first),
        "Your appeal is closed",
        "這件申訴已結案",
        "这件申诉已结案");
  }

  private static HttpResponse<String> from(String address, String path, String form) {
    return from(address, path, form, "en");
  }

  private static HttpResponse<String> from(
      String address, String path, String form, String language) {
    return server.call(
        "POST",
        path,
        form,
        "X-Forwarded-For",
        address,
        "Sec-Fetch-Site",
        "same-origin",
        "Accept-Language",
        language);
  }

  private static String receiptOf(HttpResponse<String> filed) {
    assertThat(filed.statusCode()).as(filed.body()).isEqualTo(201);
    return filed.body().replaceAll("(?s).*<code id=\"receipt\">(\\w+)</code>.*", "$1");
  }

  /// The page of an appeal in English, and in both kinds of Chinese.
  private static void shows(
      String address, String appeal, String receipt, String en, String hant, String hans) {
    assertThat(from(address, appeal, receipt, "en").body()).contains(en);
    assertThat(from(address, appeal, receipt, "zh-TW").body()).contains(hant);
    assertThat(from(address, appeal, receipt, "zh-CN").body()).contains(hans);
  }

  @Test
  void anAmnestyForARuleThatDoesNotExistIsRefusedWithTheRulesOfTheVersion() {
    JsonNode policy = json(admin("GET", "/policies/1", "").body());
    String active = policy.path("sha256").asText();
    String rule = "risk." + policy.at("/bundle/rules/0/code").asText();
    String body = "{\"rule\":\"%s\",\"version\":\"%s\",\"reason\":\"x\"}";
    for (String[] wrong :
        new String[][] {
          {"risk.no_such_rule", active, "rule", rule},
          {rule, "0".repeat(64), "version", "GET /api/admin/policies"},
          {rule, "1", "version", "GET /api/admin/policies"},
          {"limit.nothing", "3/60", "rule", "limit.join"},
          {"limit.join", "three", "version", "3/60"},
          {"limit.concurrent", "3/60", "version", "10"},
          {"invalid_turnstile_token", "2", "version", "1"},
          {"sold_out", "1", "rule", "risk."},
          {"ban.nobody", "1", "rule", "ban."},
          {"nonsense", "1", "rule", "error code"}
        }) {
      HttpResponse<String> refused =
          admin("POST", "/appeals/amnesty", body.formatted(wrong[0], wrong[1]));
      assertThat(refused.statusCode()).as(wrong[0] + refused.body()).isEqualTo(400);
      assertThat(json(refused.body()).path("field").asText()).as(wrong[0]).isEqualTo(wrong[2]);
      assertThat(json(refused.body()).path("message").asText()).contains(wrong[3]);
    }
    for (String[] known :
        new String[][] {
          {rule, active},
          {"risk.model", active},
          {"risk.lost", "1"},
          {"limit.join", "7/61"},
          {"limit.concurrent", "7"},
          {"turn_missed", "1"}
        }) {
      HttpResponse<String> done =
          admin("POST", "/appeals/amnesty", body.formatted(known[0], known[1]));
      assertThat(done.statusCode()).as(known[0] + done.body()).isEqualTo(200);
    }
  }

  @Test
  void badFormsGetAPageThatSaysWhatIsWrongAndKeepsTheText() {
    String appeal = bannedAppeal();
    HttpResponse<String> brief =
        call("POST", appeal, form("too brief", ""), "Accept-Language", "en");
    assertThat(brief.statusCode()).isEqualTo(400);
    assertThat(brief.body())
        .contains("Write 10 to 2,000 characters.", "too brief", "Wait until the block ends");
    HttpResponse<String> tooLong = call("POST", appeal, form("x".repeat(2_000) + "TAIL", ""));
    assertThat(tooLong.statusCode()).isEqualTo(400);
    assertThat(tooLong.body()).contains("x".repeat(2_000)).doesNotContain("TAIL");
    HttpResponse<String> hostile =
        call(
            "POST",
            appeal,
            form("<b>bold</b> & \"quoted\" ".repeat(100), ""),
            "Accept-Language",
            "en");
    assertThat(hostile.statusCode()).isEqualTo(400);
    assertThat(hostile.body()).contains("&lt;b&gt;bold").doesNotContain("<b>bold");
    HttpResponse<String> foreign =
        server.call(
            "POST",
            appeal,
            form(TEXT, ""),
            "X-Forwarded-For",
            address,
            "Sec-Fetch-Site",
            "cross-site");
    assertThat(foreign.statusCode()).isEqualTo(403);
    assertThat(foreign.body()).doesNotContain(TEXT);
    HttpResponse<String> unknownOrigin =
        server.call(
            "POST", appeal, form(TEXT, ""), "X-Forwarded-For", address, "Accept-Language", "en");
    assertThat(unknownOrigin.statusCode()).isEqualTo(403);
    assertThat(unknownOrigin.body()).contains(TEXT, "Wait until the block ends");
    for (String language : List.of("en", "zh-TW", "zh-CN")) {
      HttpResponse<String> unknown =
          call("GET", "/appeal/made-up", "", "Accept-Language", language, "Accept", "text/html");
      assertThat(unknown.statusCode()).isEqualTo(404);
    }
    assertThat(file(appeal).statusCode()).isEqualTo(201);
    assertThat(call("POST", appeal, "receipt=WRONGWRONG22").statusCode()).isEqualTo(403);
  }

  @Test
  void formsOfOtherSitesDoNotUseUpTheLimitOfANetwork() {
    String appeal = bannedAppeal();
    for (int i = 0; i < 31; i++) {
      HttpResponse<String> foreign =
          server.call(
              "POST",
              appeal,
              form(TEXT, ""),
              "X-Forwarded-For",
              address,
              "Sec-Fetch-Site",
              "cross-site");
      assertThat(foreign.statusCode()).isEqualTo(403);
    }
    assertThat(file(appeal).statusCode()).isEqualTo(201);
  }

  @Test
  void aNetworkSendsThirtyAppealsAnHour() {
    String appeal = bannedAppeal();
    assertThat(file(appeal).statusCode()).isEqualTo(201);
    for (int i = 1; i < 30; i++) {
      assertThat(call("POST", appeal, "receipt=WRONGWRONG22").statusCode()).isEqualTo(403);
    }
    HttpResponse<String> refused = call("POST", appeal, "receipt=WRONGWRONG22");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(json(refused.body()).path("violated_policies").path(0).asText()).isEqualTo("appeal");
    // The second reply comes from the cache of refusals, which answers at the head of a request.
    for (int i = 0; i < 2; i++) {
      HttpResponse<String> page = page(appeal, "same-origin");
      assertThat(page.statusCode()).isEqualTo(429);
      assertThat(page.headers().firstValue("retry-after")).isPresent();
      assertThat(page.body())
          .contains("&lt;b&gt;bold &amp; brave</textarea>", "ann@example.org")
          .contains("Too many requests.", "Try again in", "Your text is still here.")
          .contains("Wait until the block ends")
          .doesNotContain("<b>bold");
    }
    HttpResponse<String> receipt =
        call(
            "POST", appeal, "receipt=WRONGWRONG22", "Accept", "text/html", "Accept-Language", "en");
    assertThat(receipt.statusCode()).isEqualTo(429);
    assertThat(receipt.body())
        .contains("Too many requests.", "Try again in")
        .doesNotContain("Your text is still here.");
    HttpResponse<String> foreign = page(appeal, "cross-site");
    assertThat(foreign.statusCode()).isEqualTo(403);
    assertThat(foreign.body()).doesNotContain("brave");
  }

  private HttpResponse<String> page(String appeal, String site) {
    return server.call(
        "POST",
        appeal,
        form("<b>bold & brave", "ann@example.org"),
        "X-Forwarded-For",
        address,
        "Sec-Fetch-Site",
        site,
        "Accept",
        "text/html",
        "Accept-Language",
        "en");
  }

  @Test
  void aLetterWithInvisibleCharactersIsShownWithoutThemToBeSentAgain() {
    String appeal = bannedAppeal();
    for (String hidden : List.of("\u202e", "\u2067", "\u200f", "\u061c", "\u0085", "\u0000")) {
      for (String form :
          List.of(form("I share" + hidden + " this network.", ""), form(TEXT, "ann" + hidden))) {
        HttpResponse<String> refused = call("POST", appeal, form, "Accept-Language", "en");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body())
            .contains("invisible characters", "I share this network", "Wait until the block ends")
            .doesNotContain(hidden);
      }
    }
    // A line break is one character, as in the count of browsers.
    String lines = "One line.\r\n".repeat(10);
    String longest = lines + "x".repeat(2_000 - 10 * 10);
    assertThat(call("POST", appeal, form(longest, "")).statusCode()).isEqualTo(201);
    assertThat(
            json(admin("GET", "/appeals/" + newest().path("id").asLong(), "").body())
                .path("text")
                .asText())
        .isEqualTo(longest.replace("\r\n", "\n"));
  }

  @Test
  void onlyVisibleCharactersMakeALetterLongEnough() {
    String appeal = bannedAppeal();
    for (String hidden :
        List.of("\u200b", "\u3164", "\u00ad", "\u2060", "\ufeff", "\u2800", "\u00a0", "\ufe0f")) {
      HttpResponse<String> refused =
          call("POST", appeal, form("x" + hidden.repeat(20) + "x", ""), "Accept-Language", "en");
      assertThat(refused.statusCode()).as("U+%04x", (int) hidden.charAt(0)).isEqualTo(400);
      assertThat(refused.body()).contains("Write 10 to 2,000 characters.");
    }
    assertThat(call("POST", appeal, form("I was ill.", "")).statusCode()).isEqualTo(201);
  }

  @Test
  void aSaleHasAPublicTableOfItsAppeals() {
    JsonNode table = json(call("GET", "/api/products/37/appeals", "").body());
    assertThat(table.path("product_id").asText()).isEqualTo("37");
    assertThat(table.has("median_seconds")).isTrue();
    HttpResponse<String> page = call("GET", "/p/37/appeals", "", "Accept-Language", "en");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("Appeals in this sale");
    assertThat(call("GET", "/api/products/999/appeals", "").statusCode()).isEqualTo(404);
    assertThat(call("GET", "/p/x/appeals", "").statusCode()).isEqualTo(404);
  }

  @Test
  void anAppealDuringAnOutageOfPostgresIsNotLost() {
    PostgresAddress real = TestEngines.shared().freshDatabase();
    try (SlowProxy proxy = new SlowProxy(new InetSocketAddress(real.host(), real.port()));
        TestFairgate node =
            TestFairgate.start(
                TestEngines.shared(),
                new PostgresAddress(
                    "127.0.0.1", proxy.port(), real.user(), real.password(), real.database()),
                Map.of())) {
      String ban =
          node.admin(
              "POST", "/bans", "{\"kind\":\"ip\",\"value\":\"127.0.0.1\",\"reason\":\"secret\"}");
      assertThat(ban).contains("127.0.0.1");
      String appeal = appealOf(node.call("GET", "/api/products", ""));
      proxy.swallow();
      String[] headers = {"Sec-Fetch-Site", "same-origin", "Accept-Language", "en"};
      HttpResponse<String> away = node.call("POST", appeal, form(TEXT, ""), headers);
      assertThat(away.statusCode()).as(away.body()).isEqualTo(503);
      assertThat(away.headers().firstValue("retry-after")).isPresent();
      assertThat(away.body()).contains(TEXT, "Wait until the block ends");
      proxy.serve();
      HttpResponse<String> filed =
          Eventually.get(
              "PostgreSQL is back",
              () -> node.call("POST", appeal, form(TEXT, ""), headers),
              answer -> answer.statusCode() != 503);
      assertThat(filed.statusCode()).isIn(200, 201);
      assertThat(node.admin("GET", "/appeals?state=open", "")).contains("CLIENT_BANNED");
    }
  }
}
