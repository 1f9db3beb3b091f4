package fairgate.draw;

import static fairgate.draw.DrawStage.DRAW;
import static fairgate.draw.DrawStage.enter;
import static fairgate.draw.DrawStage.json;
import static fairgate.draw.DrawStage.read;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A draw over HTTP on two nodes: announced, entered, sealed, drawn, and bought.
@Tag("journey")
class DrawRunIT {
  private static final String AUTHORIZATION = "Authorization";
  private static final String OPERATOR = "Bearer " + TestFairgate.OPERATOR;

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private DrawStage stage;

  @BeforeEach
  void start() throws IOException {
    stage = DrawStage.open(folder, 2);
  }

  @AfterEach
  void stop() {
    stage.close();
  }

  @Test
  void aDrawRunsFromItsRulesToItsReport() {
    stage.open();
    HttpResponse<String> join =
        stage.one.call(
            "POST",
            "/api/queue/join",
            "{\"product_id\": \"7\", \"turnstile_token\": \"XXXX.DUMMY.TOKEN.XXXX\"}");
    assertThat(join.body()).contains("SALE_BY_DRAW");
    List<String> sessions = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      HttpResponse<String> entered = enter(i % 2 == 0 ? stage.one : stage.other);
      assertThat(entered.statusCode()).as(entered.body()).isEqualTo(200);
      assertThat(json(entered).path("promise").asText()).startsWith("fairgate-promise/1\n");
      sessions.add(json(entered).path("session_id").asText());
    }
    String receipt =
        Eventually.get(
                "the receipt is there",
                () ->
                    stage.other.call(
                        "GET", DRAW + "/receipt", "", "X-Session-Id", sessions.getFirst()),
                response -> response.statusCode() == 200)
            .body();
    assertThat(receipt).startsWith("c2sp.org/tlog-proof@v1\n");
    stage.one.admin("POST", "/draws/tour/exclusions", "{\"index\": 4, \"reason\": \"duplicate\"}");
    stage.draw();
    assertThat(enter(stage.one).body()).contains("DRAW_STATE_CONFLICT");
    List<String> byRank =
        sessions.subList(0, 4).stream()
            .sorted(
                Comparator.comparingLong(
                    session ->
                        read(stage.one, DRAW + "/entry", "X-Session-Id", session)
                            .path("rank")
                            .asLong()))
            .toList();
    assertThat(stage.buy(byRank.get(2)).statusCode()).isEqualTo(404);
    // An offer is stored a moment before its winner can buy.
    Eventually.await("the first one can buy", () -> stage.buy(byRank.get(0)).statusCode() == 200);
    Eventually.await(
        "the other node shows the second offer",
        () ->
            read(stage.other, DRAW + "/entry", "X-Session-Id", byRank.get(1))
                .at("/offer/status")
                .asText()
                .equals("offered"));
    HttpResponse<String> left =
        stage.one.call("POST", "/api/queue/leave", "", "X-Session-Id", byRank.get(1));
    assertThat(left.statusCode()).as(left.body()).isEqualTo(200);
    Eventually.await("the next one can buy", () -> stage.buy(byRank.get(2)).statusCode() == 200);
    stage.awaitState(stage.other, "ended");
    JsonNode report = read(stage.other, DRAW).path("report");
    assertThat(report.path("stock").asInt()).isEqualTo(3);
    assertThat(report.path("holdbacks").asInt()).isEqualTo(1);
    assertThat(report.path("issued").asInt()).isEqualTo(1);
    assertThat(report.path("passed").asInt()).isEqualTo(1);
    assertThat(report.path("unsold").asInt()).isZero();
  }

  @Test
  void anAbortedDrawSaysWhyAndTheSaleCanHaveAnother() {
    stage.announce();
    assertThat(page()).contains("Entering needs JavaScript");
    HttpResponse<String> second =
        stage.one.call(
            "POST",
            "/api/admin/draws",
            """
            {"id": "tour2", "product_id": "7", "opens_at": "2099-01-01T00:00:00Z",
             "closes_at": "2099-01-02T00:00:00Z"}
            """,
            AUTHORIZATION,
            OPERATOR);
    assertThat(second.body()).contains("DRAW_EXISTS");
    stage.one.admin("POST", "/draws/tour/abort", "{\"reason\": \"event_cancelled\"}");
    stage.awaitState(stage.other, "aborted");
    assertThat(read(stage.other, DRAW).path("abort_reason").asText()).isEqualTo("event_cancelled");
    assertThat(enter(stage.one).statusCode()).isEqualTo(409);
    assertThat(page()).contains("</html>").doesNotContain("needs JavaScript");
    announceSecond();
    assertThat(stage.one.call("GET", "/draws/tour/report", "", "Accept-Language", "en").body())
        .contains("there is no account");
    assertThat(read(stage.one, "/api/draws").path("draws")).hasSize(2);
    assertThatThereAreTwoPages("/api/draws");
    assertThatThereAreTwoPages("/api/admin/draws");
  }

  /// No server came to the seal before the beacon.
  @Test
  void aDrawThatWasSealedLateShowsNoSeal() {
    stage.open();
    stage.skipTo("draws_at");
    stage.awaitState(stage.one, "aborted");
    assertThat(read(stage.one, DRAW).path("abort_reason").asText()).isEqualTo("late_seal");
    assertThat(read(stage.one, DRAW).has("seal")).isFalse();
    assertThat(page())
        .contains("the list was not sealed in time")
        .containsPattern("The list is sealed</strong> <span class=\"unseen\">\\(did not happen\\)")
        .doesNotContain("(later)");
  }

  private String page() {
    return stage.one.call("GET", "/draws/tour", "", "Accept-Language", "en").body();
  }

  /// The list has the draw of the year 2099 first, and no draw twice.
  private void assertThatThereAreTwoPages(String list) {
    JsonNode first = read(stage.one, list + "?limit=1", AUTHORIZATION, OPERATOR);
    assertThat(first.path("draws").path(0).path("id").asText()).isEqualTo("tour2");
    String next = list + "?limit=1&after=";
    JsonNode second = read(stage.one, next + first.path("after").asText(), AUTHORIZATION, OPERATOR);
    assertThat(second.path("draws").path(0).path("id").asText()).isEqualTo("tour");
    JsonNode last = read(stage.one, next + second.path("after").asText(), AUTHORIZATION, OPERATOR);
    assertThat(last.path("draws")).isEmpty();
    assertThat(last.has("after")).isFalse();
    for (String bad : List.of("?limit=0", "?limit=501", "?limit=x", "?after=tour", "?after=1.")) {
      HttpResponse<String> refused = stage.one.call("GET", list + bad, "", AUTHORIZATION, OPERATOR);
      assertThat(refused.statusCode()).as(list + bad).isEqualTo(400);
    }
  }

  private static final String SECOND =
      """
      {"id": "tour2", "product_id": "7", "opens_at": "2099-01-01T00:00:00Z",
       "closes_at": "2099-01-02T00:00:00Z"%s}
      """;

  private void announceSecond() {
    stage.one.admin("POST", "/draws", SECOND.formatted(""));
  }

  private void awaitRefusalOfSecond(String fields, String reason) {
    Eventually.await(
        "the second draw is refused: " + reason,
        () -> {
          HttpResponse<String> refused =
              stage.other.call(
                  "POST",
                  "/api/admin/draws",
                  SECOND.formatted(fields),
                  AUTHORIZATION,
                  OPERATOR,
                  "Accept-Language",
                  "en");
          assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
          return refused.body().contains(reason);
        });
  }

  @Test
  void aDrawPromisesNoUnitsThatAnEarlierOneHasSoldOrStillOffers() {
    stage.open();
    List<String> sessions = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      sessions.add(json(enter(stage.one)).path("session_id").asText());
    }
    HttpResponse<String> fewer =
        stage.one.call(
            "PATCH",
            "/api/admin/products/7",
            "{\"policy\": {\"pre_queue\": \"shuffle\"}}",
            AUTHORIZATION,
            OPERATOR,
            "Accept-Language",
            "en");
    assertThat(fewer.statusCode()).as(fewer.body()).isEqualTo(400);
    assertThat(fewer.body()).contains("pre_queue", "until the draw is over");
    String added = "{\"quantity\": 3, \"key\": \"more\"}";
    assertThat(stage.one.admin("POST", "/products/7/stock", added)).contains("\"after_draw\":true");
    stage.draw();
    assertThat(stage.one.call("GET", "/draws/tour", "", "Accept-Language", "en").body())
        .contains("everybody whose entry counted may buy");
    Eventually.await("a winner buys", () -> stage.buy(sessions.getFirst()).statusCode() == 200);
    HttpResponse<String> thrownAgain =
        stage.one.call(
            "POST",
            "/api/admin/draws/tour/abort",
            "{\"reason\": \"mistake\"}",
            AUTHORIZATION,
            OPERATOR);
    assertThat(thrownAgain.statusCode()).isEqualTo(409);
    assertThat(thrownAgain.body()).contains("DRAW_DUE");
    HttpResponse<String> left =
        stage.one.call("POST", "/api/queue/leave", "", "X-Session-Id", sessions.getLast());
    assertThat(left.statusCode()).as(left.body()).isEqualTo(200);
    stage.awaitState(stage.other, "ended");
    awaitRefusalOfSecond(", \"stock\": 2", "must be 4, the number of units");
    awaitRefusalOfSecond(", \"stock\": 0", "must be 4, the number of units");
    announceSecond();
    announceSecond();
    for (String page : List.of("/draws/tour2", "/draws/tour2/report")) {
      assertThat(stage.one.call("GET", page, "", "Accept-Language", "en").body())
          .contains("<a href=\"/draws/tour\">tour</a>");
    }
    assertThat(read(stage.one, "/draws/tour2/rules.json").path("stock").asInt()).isEqualTo(4);
    assertThat(stage.one.admin("POST", "/products/7/stock", added))
        .contains("\"repeated\":true", "\"after_draw\":true");
  }

  @Test
  void wrongRulesAreRefusedAndADrawOfASaleThatRedisDoesNotKnowIsAnnouncedAtOnce() {
    badRulesAreExplained();
    textsOfTheRulesAreWhatTheyShow();
    assertThat(read(stage.one, "/api/draws").path("draws")).isEmpty();
    aDrawOfASaleThatRedisDoesNotKnowIsAnnouncedAtOnce();
  }

  /// A sale that is not open yet, of which Redis has nothing.
  private void aDrawOfASaleThatRedisDoesNotKnowIsAnnouncedAtOnce() {
    stage.one.createProduct("8", 2, "{\"pre_queue\": \"draw\"}");
    TestEngines.shared().flushRedis();
    HttpResponse<String> announced =
        stage.one.call(
            "POST",
            "/api/admin/draws",
            SECOND.formatted("").replace("\"7\"", "\"8\""),
            AUTHORIZATION,
            OPERATOR);
    assertThat(announced.statusCode()).as(announced.body()).isEqualTo(200);
    assertThat(json(announced).at("/rules/stock").asInt()).isEqualTo(2);
  }

  /// The rules cannot be changed, so a text that shows other words than it has would stay.
  private void textsOfTheRulesAreWhatTheyShow() {
    for (String field :
        List.of(
            "\"title\": \"a\\u202eb\"", "\"title\": \"a\\nb\"", "\"eligibility\": \"a\\u2066b\"")) {
      HttpResponse<String> refused =
          stage.one.call(
              "POST",
              "/api/admin/draws",
              SECOND.formatted(", " + field),
              AUTHORIZATION,
              OPERATOR,
              "Accept-Language",
              "en");
      assertThat(refused.statusCode()).as(field + refused.body()).isEqualTo(400);
      assertThat(refused.body())
          .contains(field.contains("\\n") ? "must be one line" : "change the direction of text");
    }
  }

  private void badRulesAreExplained() {
    Map<String, String> bad =
        Map.of(
            "\"id\": \"A\"", "\"id\": \"tour\"",
            "\"closes_at\": \"2098-01-01T00:00:00Z\"", "\"closes_at\": \"2099-01-02T00:00:00Z\"",
            "\"stock\": 1", "\"stock\": 2",
            "\"max_quantity\": 9", "\"max_quantity\": 1",
            "\"zone\": \"Nowhere\"", "\"zone\": \"UTC\"",
            "\"colour\": 1", "\"fit\": \"skip\"");
    String good =
        """
        {"id": "tour", "product_id": "7", "opens_at": "2099-01-01T00:00:00Z",
         "closes_at": "2099-01-02T00:00:00Z", "stock": 2, "max_quantity": 1, "zone": "UTC",
         "fit": "skip"}
        """;
    bad.forEach(
        (wrong, right) -> {
          assertThat(good).contains(right);
          HttpResponse<String> response =
              stage.one.call(
                  "POST", "/api/admin/draws", good.replace(right, wrong), AUTHORIZATION, OPERATOR);
          assertThat(response.statusCode()).as(wrong + response.body()).isEqualTo(400);
        });
  }
}
