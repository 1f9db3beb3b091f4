package fairgate.app.risk;

import static fairgate.app.risk.AppealServer.TEXT;
import static fairgate.app.risk.AppealServer.appealOf;
import static fairgate.app.risk.AppealServer.cookies;
import static fairgate.app.risk.AppealServer.form;
import static fairgate.app.risk.AppealServer.json;
import static fairgate.app.risk.AppealServer.receiptOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.app.risk.AppealServer.Visitor;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.SlowProxy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Appeals over HTTP: every refusal of a person leads to one.
class AppealsIT {
  @SuppressWarnings("NullAway.Init")
  private static AppealServer appeals;

  private final Visitor ann = appeals.visitor();

  @BeforeAll
  static void start() {
    appeals = AppealServer.withStrictLimits();
  }

  @AfterAll
  static void stop() {
    appeals.close();
  }

  @Test
  void everyRefusalOfAPersonLeadsToAnAppealWithoutAnAccount() {
    HttpResponse<String> place = join();
    assertThat(place.statusCode()).as(place.body()).isEqualTo(200);
    HttpResponse<String> network = join();
    assertThat(json(network.body()).path("error").asText()).isEqualTo("NETWORK_LIMIT_REACHED");
    HttpResponse<String> limited = ann.limited();
    ann.ban();
    HttpResponse<String> banned = ann.call("GET", "/p/37", "");
    assertThat(banned.statusCode()).isEqualTo(403);
    for (HttpResponse<String> refused : List.of(network, limited, banned)) {
      HttpResponse<String> page = ann.call("GET", appealOf(refused), "", "Accept-Language", "en");
      assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
      assertThat(page.body())
          .contains("<form", "<textarea", "name=\"receipt\"")
          .doesNotContain("secret", "<script src");
    }
    String shown = ann.call("GET", "/p/37", "", "Accept", "text/html").body();
    assertThat(shown).containsPattern("href=\"/appeal/[\\w-]{40,200}\"").doesNotContain("secret");
  }

  private HttpResponse<String> join() {
    return ann.call(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"37\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}");
  }

  @Test
  void aSecondLetterIsToldThatItWasNotAdded() {
    String appeal = ann.bannedAppeal();
    assertThat(ann.file(appeal).statusCode()).isEqualTo(201);
    assertThat(ann.file(appeal).statusCode()).as("a repeat").isEqualTo(200);
    String more = form("There is one thing more to say.", "");
    isNotAdded(appeal, more, "en", "none=1", "This letter was not added", "enter its receipt");
    isNotAdded(appeal, more, "zh-TW", "none=1", "這次填寫的內容沒有加入", "請輸入收據代碼");
    isNotAdded(appeal, more, "zh-CN", "none=1", "这次填写的内容没有加入", "请输入回执代码");

    String cookies = cookies(ann.call("GET", appeal, ""));
    assertThat(ann.call("POST", appeal, form(TEXT, ""), "Cookie", cookies).statusCode())
        .as("a browser with a cookie has an appeal of its own")
        .isEqualTo(201);
    isNotAdded(appeal, more, "en", cookies, "This letter was not added", "Wait for the answer");
    isNotAdded(appeal, more, "zh-TW", cookies, "這次填寫的內容沒有加入", "請等候答覆");
    isNotAdded(appeal, more, "zh-CN", cookies, "这次填写的内容没有加入", "请等候答复");
  }

  private void isNotAdded(
      String appeal, String form, String language, String cookies, String... texts) {
    HttpResponse<String> page =
        ann.call("POST", appeal, form, "Accept-Language", language, "Cookie", cookies);
    assertThat(page.statusCode()).as(page.body()).isEqualTo(409);
    assertThat(page.body()).contains(texts);
  }

  @Test
  void aLetterOrADecisionThatIsNotUtf8IsRefused() throws IOException, InterruptedException {
    String appeal = ann.bannedAppeal();
    for (String form : List.of("text=I+share+it+with+caf%E9+guests.", form(TEXT, "") + "%FF")) {
      HttpResponse<String> refused = ann.call("POST", appeal, form, "Accept-Language", "en");
      assertThat(refused.statusCode()).as(form).isEqualTo(400);
      assertThat(refused.body()).contains("not sent as UTF-8", "I share", "Wait until the block");
    }
    long id = ann.filed(appeal);
    byte[] body =
        "{\"decision\":\"lift\",\"reason\":\"a caf\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1);
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(appeals.server().baseUrl() + "/api/admin/appeals/" + id))
            .header("Authorization", "Bearer " + TestFairgate.OPERATOR)
            .header("Accept-Language", "en")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> refused = client.send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
      assertThat(json(refused.body()).path("error").asText()).isEqualTo("INVALID_REQUEST");
      assertThat(json(refused.body()).path("message").asText()).contains("UTF-8");
    }
    assertThat(appeals.newest().path("state").asText()).isEqualTo("open");
  }

  @Test
  void badFormsGetAPageThatSaysWhatIsWrongAndKeepsTheText() {
    String appeal = ann.bannedAppeal();
    HttpResponse<String> brief =
        ann.call("POST", appeal, form("too brief", ""), "Accept-Language", "en");
    assertThat(brief.statusCode()).isEqualTo(400);
    assertThat(brief.body())
        .contains("Write 10 to 2,000 characters.", "too brief", "Wait until the block ends");
    HttpResponse<String> tooLong = ann.call("POST", appeal, form("x".repeat(2_000) + "TAIL", ""));
    assertThat(tooLong.statusCode()).isEqualTo(400);
    assertThat(tooLong.body()).contains("x".repeat(2_000)).doesNotContain("TAIL");
    HttpResponse<String> hostile =
        ann.call(
            "POST",
            appeal,
            form("<b>bold</b> & \"quoted\" ".repeat(100), ""),
            "Accept-Language",
            "en");
    assertThat(hostile.statusCode()).isEqualTo(400);
    assertThat(hostile.body()).contains("&lt;b&gt;bold").doesNotContain("<b>bold");
    HttpResponse<String> foreign =
        appeals
            .server()
            .call(
                "POST",
                appeal,
                form(TEXT, ""),
                "X-Forwarded-For",
                ann.address(),
                "Sec-Fetch-Site",
                "cross-site");
    assertThat(foreign.statusCode()).isEqualTo(403);
    assertThat(foreign.body()).doesNotContain(TEXT);
    HttpResponse<String> unknownOrigin =
        appeals
            .server()
            .call(
                "POST",
                appeal,
                form(TEXT, ""),
                "X-Forwarded-For",
                ann.address(),
                "Accept-Language",
                "en");
    assertThat(unknownOrigin.statusCode()).isEqualTo(403);
    assertThat(unknownOrigin.body()).contains(TEXT, "Wait until the block ends");
    for (String language : List.of("en", "zh-TW", "zh-CN")) {
      HttpResponse<String> unknown =
          ann.call(
              "GET", "/appeal/made-up", "", "Accept-Language", language, "Accept", "text/html");
      assertThat(unknown.statusCode()).isEqualTo(404);
    }
    assertThat(ann.file(appeal).statusCode()).isEqualTo(201);
    assertThat(ann.call("POST", appeal + "/receipt", "receipt=WRONGWRONG22").statusCode())
        .isEqualTo(403);
  }

  @Test
  void formsOfOtherSitesDoNotUseUpTheLimitOfANetwork() {
    String appeal = ann.bannedAppeal();
    for (int i = 0; i < 31; i++) {
      HttpResponse<String> foreign =
          appeals
              .server()
              .call(
                  "POST",
                  appeal,
                  form(TEXT, ""),
                  "X-Forwarded-For",
                  ann.address(),
                  "Sec-Fetch-Site",
                  "cross-site");
      assertThat(foreign.statusCode()).isEqualTo(403);
    }
    assertThat(ann.file(appeal).statusCode()).isEqualTo(201);
  }

  @Test
  void formsThatFileNothingDoNotUseUpTheLimitOfANetwork() {
    String appeal = ann.bannedAppeal();
    assertThat(ann.file(appeal).statusCode()).isEqualTo(201);
    List<String> forms = List.of(form("brief", ""), form(TEXT, ""), "receipt=X");
    for (int i = 0; i < 45; i++) {
      String form = forms.get(i % forms.size());
      assertThat(ann.call("POST", appeal, form).statusCode()).as(form).isIn(200, 400, 403);
    }
    String other = appealOf(ann.call("GET", "/api/products", ""));
    assertThat(ann.file(other).statusCode()).isEqualTo(201);
  }

  @Test
  void aNetworkSendsThirtyAppealsAnHour() {
    String appeal = ann.bannedAppeal();
    String receipt = "receipt=" + receiptOf(ann.file(appeal));
    for (int i = 1; i < 30; i++) {
      assertThat(ann.file(appealOf(ann.call("GET", "/api/products", ""))).statusCode())
          .as("a person without a cookie at the same address")
          .isEqualTo(201);
    }
    HttpResponse<String> refused = ann.call("POST", appeal, form(TEXT, ""));
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
    HttpResponse<String> shown = ann.post(appeal + "/receipt", receipt, "en");
    assertThat(shown.statusCode()).as("a receipt is read beyond the limit").isEqualTo(200);
    assertThat(shown.body())
        .contains("A person will decide about your appeal.")
        .as("a language link")
        .contains("href=\"" + appeal + "?lang=zh-Hant\"");
    assertThat(ann.post(appeal + "/receipt", form(TEXT, ""), "en").statusCode()).isEqualTo(403);
    HttpResponse<String> foreign = page(appeal, "cross-site");
    assertThat(foreign.statusCode()).isEqualTo(403);
    assertThat(foreign.body()).doesNotContain("brave");
  }

  private HttpResponse<String> page(String appeal, String site) {
    return appeals
        .server()
        .call(
            "POST",
            appeal,
            form("<b>bold & brave", "ann@example.org"),
            "X-Forwarded-For",
            ann.address(),
            "Sec-Fetch-Site",
            site,
            "Accept",
            "text/html",
            "Accept-Language",
            "en");
  }

  @Test
  void aLetterWithInvisibleCharactersIsShownWithoutThemToBeSentAgain() {
    String appeal = ann.bannedAppeal();
    for (String hidden : List.of("\u202e", "\u2067", "\u200f", "\u061c", "\u0085", "\u0000")) {
      for (String form :
          List.of(form("I share" + hidden + " this network.", ""), form(TEXT, "ann" + hidden))) {
        HttpResponse<String> refused = ann.call("POST", appeal, form, "Accept-Language", "en");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body())
            .contains("invisible characters", "I share this network", "Wait until the block ends")
            .doesNotContain(hidden);
      }
    }
    // A line break is one character, as in the count of browsers.
    String lines = "One line.\r\n".repeat(10);
    String longest = lines + "x".repeat(2_000 - 10 * 10);
    assertThat(ann.call("POST", appeal, form(longest, "")).statusCode()).isEqualTo(201);
    assertThat(
            json(appeals
                    .admin("GET", "/appeals/" + appeals.newest().path("id").asLong(), "")
                    .body())
                .path("text")
                .asText())
        .isEqualTo(longest.replace("\r\n", "\n"));
  }

  @Test
  void onlyVisibleCharactersMakeALetterLongEnough() {
    String appeal = ann.bannedAppeal();
    for (String hidden :
        List.of("\u200b", "\u3164", "\u00ad", "\u2060", "\ufeff", "\u2800", "\u00a0", "\ufe0f")) {
      HttpResponse<String> refused =
          ann.call(
              "POST", appeal, form("x" + hidden.repeat(20) + "x", ""), "Accept-Language", "en");
      assertThat(refused.statusCode()).as("U+%04x", (int) hidden.charAt(0)).isEqualTo(400);
      assertThat(refused.body()).contains("Write 10 to 2,000 characters.");
    }
    assertThat(ann.call("POST", appeal, form("I was ill.", "")).statusCode()).isEqualTo(201);
  }

  @Test
  void aSaleHasAPublicTableOfItsAppeals() {
    JsonNode table = json(ann.call("GET", "/api/products/37/appeals", "").body());
    assertThat(table.path("product_id").asText()).isEqualTo("37");
    assertThat(table.has("median_seconds")).isTrue();
    HttpResponse<String> page = ann.call("GET", "/p/37/appeals", "", "Accept-Language", "en");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("Appeals in this sale");
    assertThat(ann.call("GET", "/api/products/999/appeals", "").statusCode()).isEqualTo(404);
    assertThat(ann.call("GET", "/p/x/appeals", "").statusCode()).isEqualTo(404);
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
