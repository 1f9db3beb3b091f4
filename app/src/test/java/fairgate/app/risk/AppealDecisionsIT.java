package fairgate.app.risk;

import static fairgate.app.risk.AppealServer.TEXT;
import static fairgate.app.risk.AppealServer.appealOf;
import static fairgate.app.risk.AppealServer.form;
import static fairgate.app.risk.AppealServer.json;
import static fairgate.app.risk.AppealServer.receiptOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.app.risk.AppealServer.Visitor;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Operators decide appeals over HTTP.
class AppealDecisionsIT {
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
  void anOperatorReadsTheEvidenceAndLiftsTheBan() {
    String appeal = ann.bannedAppeal();
    long id = ann.filed(appeal);
    JsonNode evidence = json(appeals.admin("GET", "/appeals/" + id, "").body());
    assertThat(evidence.path("state").asText()).isEqualTo("open");
    assertThat(evidence.path("text").asText()).isEqualTo(TEXT);
    assertThat(evidence.path("contact").asText()).isEqualTo("ann@example.org");
    assertThat(evidence.path("address").asText()).isEqualTo(ann.address());
    assertThat(evidence.path("same_network").asBoolean()).isTrue();
    assertThat(evidence.path("ban").path("reason").asText()).isEqualTo("secret");
    assertThat(evidence.path("rules").path(0).asText()).isEqualTo("ban.operator");
    Eventually.await(
        "the audit log has the refusal",
        () ->
            json(appeals.admin("GET", "/appeals/" + id, "").body())
                .path("events")
                .path(0)
                .path("event")
                .path("what")
                .asText()
                .equals("CLIENT_BANNED"));
    HttpResponse<String> decided =
        appeals.decide(
            id, "{\"decision\":\"lift\",\"reason\":\"a school\",\"answer\":\"Welcome back.\"}");
    assertThat(decided.statusCode()).as(decided.body()).isEqualTo(200);
    assertThat(json(decided.body()).path("state").asText()).isEqualTo("granted");
    assertThat(ann.call("GET", "/api/products", "").statusCode()).isEqualTo(200);
    HttpResponse<String> again =
        appeals.decide(
            id, "{\"decision\":\"refuse\",\"grade\":\"a_year\",\"reason\":\"too late\"}");
    assertThat(again.statusCode()).isEqualTo(409);
    assertThat(json(again.body()).path("error").asText()).isEqualTo("APPEAL_STATE_CONFLICT");
    assertThat(json(again.body()).path("state").asText()).isEqualTo("granted");
  }

  @Test
  void theQueueIsReadInPagesAndFiltered() {
    long first = ann.filed(ann.bannedAppeal());
    Visitor other = appeals.visitor();
    other.ban();
    long _ = other.filed(other.bannedAppeal());
    String query = "/appeals?state=open&code=CLIENT_BANNED&rule=ban.operator&limit=1";
    JsonNode page = json(appeals.admin("GET", query, "").body());
    long before = 0;
    int seen = 0;
    while (!page.path("after").asText().isEmpty()) {
      JsonNode appeal = page.path("appeals").path(0);
      seen += appeal.path("id").asLong() >= first ? 1 : 0;
      assertThat(appeal.path("due_at").asLong()).isGreaterThanOrEqualTo(before);
      before = appeal.path("due_at").asLong();
      page = json(appeals.admin("GET", query + "&after=" + page.path("after").asText(), "").body());
    }
    assertThat(seen).isGreaterThanOrEqualTo(2);
    assertThat(json(appeals.admin("GET", "/appeals?overdue=true", "").body()).path("appeals"))
        .isEmpty();
    assertThat(json(appeals.admin("GET", "/appeals?product_id=99", "").body()).path("appeals"))
        .isEmpty();
  }

  @Test
  void badInputOfOperatorsIsRefusedWithItsField() {
    long id = ann.filed(ann.bannedAppeal());
    Map<String, String> bad =
        Map.of(
            "{\"decision\":\"lift\",\"reason\":\"x\",\"answer\":\"Hi \u202eann\"}", "answer",
            "{\"decision\":\"pardon\",\"reason\":\"x\"}", "decision",
            "{\"decision\":\"lift\"}", "reason",
            "{\"decision\":\"lift\",\"reason\":\" \"}", "reason",
            "{\"decision\":\"refuse\",\"grade\":\"behind\",\"reason\":\"x\"}", "grade",
            "{\"decision\":\"lift\",\"grade\":\"warn\",\"reason\":\"x\"}", "grade",
            "{\"decision\":\"allow\",\"reason\":\"x\"}", "duration_seconds",
            "{\"decision\":\"lift\",\"reason\":\"x\",\"duration_seconds\":5}", "duration_seconds",
            "{\"decision\":\"lift\",\"reason\":\"x\",\"until\":5}", "until");
    bad.forEach(
        (body, field) -> {
          HttpResponse<String> refused = appeals.decide(id, body);
          assertThat(refused.statusCode()).as(body).isEqualTo(400);
          assertThat(json(refused.body()).path("field").asText()).as(body).isEqualTo(field);
        });
    for (String query :
        List.of("?state=lost", "?after=x", "?limit=0", "?product_id=x", "?overdue=1", "?q=1")) {
      assertThat(appeals.admin("GET", "/appeals" + query, "").statusCode())
          .as(query)
          .isEqualTo(400);
    }
    assertThat(appeals.admin("GET", "/appeals/x", "").statusCode()).isEqualTo(400);
    assertThat(appeals.admin("GET", "/appeals/999999", "").statusCode()).isEqualTo(404);
    assertThat(appeals.decide(999_999, "{\"decision\":\"lift\",\"reason\":\"x\"}").statusCode())
        .isEqualTo(404);
    assertThat(appeals.server().call("GET", "/api/admin/appeals", "").statusCode()).isEqualTo(401);
    assertThat(appeals.newest().path("state").asText()).isEqualTo("open");
  }

  @Test
  void aRefusedAppealShortensABanAndBansNobody() {
    HttpResponse<String> limit = ann.post(appealOf(ann.limited()), form(TEXT, ""), "en");
    assertThat(limit.statusCode()).as(limit.body()).isEqualTo(201);
    long limited = appeals.newest().path("id").asLong();
    JsonNode noBan =
        json(
            appeals
                .decide(limited, "{\"decision\":\"refuse\",\"grade\":\"a_year\",\"reason\":\"x\"}")
                .body());
    assertThat(noBan.path("field").asText()).as(noBan.toString()).isEqualTo("grade");
    JsonNode refused =
        json(appeals.decide(limited, "{\"decision\":\"refuse\",\"reason\":\"x\"}").body());
    assertThat(refused.path("state").asText()).as(refused.toString()).isEqualTo("refused");
    assertThat(refused.has("grade")).isFalse();
    assertThat(ann.call("GET", "/api/products", "").statusCode()).isEqualTo(200);

    Visitor other = appeals.visitor();
    String banned = other.bannedAppeal();
    String receipt = "receipt=" + receiptOf(other.post(banned, form(TEXT, ""), "en"));
    HttpResponse<String> shorter =
        appeals.decide(
            appeals.newest().path("id").asLong(),
            "{\"decision\":\"refuse\",\"grade\":\"30_days\",\"reason\":\"x\"}");
    assertThat(shorter.statusCode()).as(shorter.body()).isEqualTo(200);
    shows(other, banned, receipt, "for up to 30 days", "30 天", "30 天");
  }

  @Test
  void aGrantedAppealTellsOfAnotherBan() {
    Visitor other = appeals.visitor();
    String appeal = appealOf(other.limited());
    String receipt = "receipt=" + receiptOf(other.post(appeal, form(TEXT, ""), "en"));
    long id = appeals.newest().path("id").asLong();
    assertThat(appeals.decide(id, "{\"decision\":\"lift\",\"reason\":\"x\"}").statusCode())
        .isEqualTo(200);
    other.ban();
    shows(other, appeal, receipt, "another block applies to you now", "仍受另一項封鎖", "仍受另一项封禁");
  }

  @Test
  void aBanThatIsRefusedEndsNoExemption() {
    long id = ann.filed(ann.bannedAppeal());
    String allow = "{\"decision\":\"allow\",\"duration_seconds\":3600,\"reason\":\"x\"}";
    assertThat(appeals.decide(id, allow).statusCode()).isEqualTo(200);
    for (String reason : List.of("", ",\"reason\":\"\"", ",\"reason\":\" \"")) {
      String ban = "{\"kind\":\"ip\",\"value\":\"%s\"%s}".formatted(ann.address(), reason);
      assertThat(appeals.admin("POST", "/bans", ban).statusCode()).as(ban).isEqualTo(400);
    }
    assertThat(ann.call("GET", "/api/products", "").statusCode()).isEqualTo(200);
  }

  @Test
  void theAppealsOfOthersAreClosedWhenThatOfTheRefusedPersonIsGranted() {
    Visitor other = appeals.visitor();
    String appeal = appealOf(ann.limited());
    HttpResponse<String> first = other.post(appeal, form(TEXT, ""), "en");
    long closed = appeals.newest().path("id").asLong();
    long own = ann.filed(appeal);
    assertThat(appeals.decide(own, "{\"decision\":\"lift\",\"reason\":\"x\"}").statusCode())
        .isEqualTo(200);
    JsonNode evidence = json(appeals.admin("GET", "/appeals/" + closed, "").body());
    assertThat(evidence.path("state").asText()).isEqualTo("closed");
    assertThat(evidence.path("reason").asText()).isEqualTo("appeal " + own + " was granted");
    assertThat(evidence.path("overdue").asBoolean()).isFalse();
    assertThat(appeals.admin("GET", "/appeals?state=closed", "").body()).contains("\"closed\"");
    HttpResponse<String> again = appeals.decide(closed, "{\"decision\":\"lift\",\"reason\":\"x\"}");
    assertThat(again.statusCode()).isEqualTo(409);
    shows(
        other,
        appeal,
        "receipt=" + receiptOf(first),
        "Your appeal is closed",
        "這件申訴已結案",
        "这件申诉已结案");
  }

  /// The page of an appeal in English, and in both kinds of Chinese.
  private static void shows(
      Visitor visitor, String appeal, String receipt, String en, String hant, String hans) {
    assertThat(visitor.post(appeal + "/receipt", receipt, "en").body()).contains(en);
    assertThat(visitor.post(appeal + "/receipt", receipt, "zh-TW").body()).contains(hant);
    assertThat(visitor.post(appeal + "/receipt", receipt, "zh-CN").body()).contains(hans);
  }
}
