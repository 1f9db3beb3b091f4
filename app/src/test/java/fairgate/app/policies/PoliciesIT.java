package fairgate.app.policies;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.gate.policy.PolicyWorld;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The admin API of the risk policy, and the rules on the page of a sale.
class PoliciesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    TestEngines.shared().flushRedis();
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("risk.mode", "enforce"));
    server.createProduct("7", 5, "{\"preset\": \"queue\"}");
    server.openSale("7");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> call(String method, String path, String body) {
    return server.callUntilAccepted(
        method,
        "/api/admin/policies" + path,
        body,
        "Authorization",
        "Bearer " + TestFairgate.OPERATOR,
        "Accept-Language",
        "en");
  }

  private static JsonNode json(HttpResponse<String> answer, int status) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }

  private static long publish(String document) {
    return json(call("POST", "", document), 201).path("version").asLong();
  }

  private static String bundle(String name) {
    return PolicyWorld.document(name, PolicyWorld.rule("rule_of_" + name, "sale_open", 1));
  }

  @Test
  void aVersionGoesFromDraftOverCanaryToActiveAndBack() {
    long before = json(call("GET", "?limit=500", ""), 200).path("policies").size();
    JsonNode draft = json(call("POST", "?note=a%20test&parent=1", bundle("first")), 201);
    long version = draft.path("version").asLong();
    assertThat(draft.path("state").asText()).isEqualTo("draft");
    assertThat(draft.path("note").asText()).isEqualTo("a test");
    assertThat(draft.path("parent").asLong()).isEqualTo(1);
    assertThat(draft.at("/bundle/name").asText()).isEqualTo("first");
    assertThat(json(call("POST", "", bundle("first")), 200).path("version").asLong())
        .isEqualTo(version);
    assertThat(json(call("GET", "?limit=500", ""), 200).path("policies")).hasSize((int) before + 1);
    String at = "/" + version;
    JsonNode evaluated = json(call("POST", at + "/canary", "{\"percent\": 0}"), 200);
    assertThat(evaluated.path("state").asText()).isEqualTo("canary");
    assertThat(evaluated.path("percent").asDouble(-1)).isZero();
    assertThat(json(call("DELETE", at + "/canary", ""), 200).path("state").asText())
        .isEqualTo("retired");
    JsonNode canary = json(call("POST", at + "/canary", "{\"percent\": 10}"), 200);
    assertThat(canary.path("state").asText()).isEqualTo("canary");
    assertThat(canary.path("percent").asDouble()).isEqualTo(1);
    assertThat(canary.path("goal_percent").asDouble()).isEqualTo(10);
    JsonNode refusal = json(call("POST", at + "/activate", ""), 409);
    assertThat(refusal.path("error").asText()).isEqualTo("BACKTEST_REQUIRED");
    JsonNode empty =
        json(call("POST", at + "/backtest", "{\"to\": \"2001-01-01T00:00:00Z\"}"), 200);
    assertThat(empty.at("/backtest/decisions/all").asLong()).isZero();
    assertThat(listed(version).path("backtest_hash").asText()).hasSize(64);
    assertThat(listed(version).path("backtest_decisions").asLong(-1)).isZero();
    JsonNode untested = json(call("POST", at + "/activate", ""), 409);
    assertThat(untested.path("error").asText()).isEqualTo("BACKTEST_REQUIRED");
    assertThat(untested.path("message").asText()).contains("judged no decision", "confirm: true");
    String join = "{\"product_id\":\"7\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}";
    assertThat(server.callUntilAccepted("POST", "/api/queue/join", join).statusCode())
        .isEqualTo(200);
    JsonNode tested =
        Eventually.get(
            "the decision on the join is recorded",
            () -> json(call("POST", at + "/backtest", "{\"limit\": 1000}"), 200),
            report -> report.at("/backtest/decisions/all").asLong() > 0);
    assertThat(tested.path("backtest_hash").asText()).hasSize(64);
    assertThat(listed(version).path("backtest_decisions").asLong())
        .isEqualTo(tested.at("/backtest/decisions/all").asLong());
    assertThat(json(call("POST", at + "/activate", ""), 200).path("state").asText())
        .isEqualTo("active");
    assertThat(json(call("POST", at + "/activate", ""), 409).path("reason").asText())
        .isEqualTo("is_active");
    assertThat(json(call("POST", "/rollback", ""), 200).path("version").asLong())
        .isNotEqualTo(version);
    JsonNode retired = json(call("GET", at, ""), 200);
    assertThat(retired.path("state").asText()).isEqualTo("retired");
    assertThat(new LinkedHashSet<>(retired.path("history").findValuesAsText("step")))
        .containsExactly("rolled_back", "activated", "backtested", "canary", "created");
    Eventually.await(
        "the steps are in the audit log by name",
        () -> {
          String audit = server.admin("GET", "/audit?kind=admin&limit=500", "");
          return List.of("published", "canary", "backtested", "activated", "rolled_back")
              .stream()
              .allMatch(step -> audit.contains("\"policy_" + step + "\""));
        });
  }

  private static JsonNode listed(long version) {
    JsonNode all = json(call("GET", "?limit=500", ""), 200).path("policies");
    return StreamSupport.stream(all.spliterator(), false)
        .filter(one -> one.path("version").asLong() == version)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void problemsHaveLineAndColumn() {
    String wrong =
        PolicyWorld.document(
            "wrong",
            PolicyWorld.rule("good_rule", "true", 5),
            PolicyWorld.rule("bad_rule", "1 / 0 > no_feature", 5));
    JsonNode refusal = json(call("POST", "", wrong), 400);
    assertThat(refusal.path("error").asText()).isEqualTo("INVALID_REQUEST");
    JsonNode problem = refusal.at("/problems/0");
    int line = problem.path("line").asInt();
    assertThat(wrong.lines().toList().get(line - 1)).contains("bad_rule");
    assertThat(problem.path("column").asInt()).isGreaterThan(10);
    assertThat(problem.path("rule").asText()).isEqualTo("bad_rule");
    assertThat(refusal.path("message").asText())
        .contains("at line " + line + ", column " + problem.path("column").asInt());
    assertThat(
            json(call("POST", "", "{\n  \"format\": 1,\n  oops}"), 400)
                .at("/problems/0/line")
                .asInt())
        .isEqualTo(3);
  }

  @Test
  void aBundleInWhichNoRuleCountsIsAcceptedWithAWarning() {
    String empty = PolicyWorld.document("empty");
    String shadow =
        PolicyWorld.document(
            "shadows",
            PolicyWorld.rule("seen", "true", 5).replaceFirst("\\{", "{\"shadow\": true, "));
    String nothing = PolicyWorld.rule("nothing", "true", 0);
    String idle =
        PolicyWorld.document(
            "idle", nothing, banded("lowest", "low"), PolicyWorld.rule("one_more", "true", 0));
    for (String document : List.of(empty, shadow, idle)) {
      assertThat(json(call("POST", "/validate", document), 200).at("/warnings/0").asText())
          .contains("No rule counts");
      JsonNode published = json(call("POST", "", document), 201);
      assertThat(published.at("/warnings/0").asText()).contains("No rule counts");
      assertThat(
              json(call("GET", "/" + published.path("version").asLong(), ""), 200).path("warnings"))
          .hasSize(1);
    }
    JsonNode good = json(call("POST", "/validate", bundle("good")), 200);
    assertThat(good.path("warnings").isArray()).isTrue();
    assertThat(good.path("warnings")).isEmpty();
    String banded = PolicyWorld.document("banded", nothing, banded("highest", "high"));
    assertThat(json(call("POST", "/validate", banded), 200).path("warnings")).isEmpty();
  }

  /// A rule of 0 points with a band.
  private static String banded(String code, String band) {
    return PolicyWorld.rule(code, "true", 0).replaceFirst("\\{", "{\"band\": \"" + band + "\", ");
  }

  @Test
  void oneProblemIsToldAsOneInThreeLanguages() {
    String wrong = PolicyWorld.document("wrong", PolicyWorld.rule("bad_rule", "no_feature", 5));
    for (String[] language :
        new String[][] {
          {"en", "The document has an error at line "},
          {"zh-TW", "行第 "},
          {"zh-CN", "有一个错误："}
        }) {
      HttpResponse<String> refusal =
          server.call(
              "POST",
              "/api/admin/policies/validate",
              wrong,
              "Authorization",
              "Bearer " + TestFairgate.OPERATOR,
              "Accept-Language",
              language[0]);
      assertThat(json(refusal, 400).path("problems")).hasSize(1);
      assertThat(json(refusal, 400).path("message").asText())
          .contains(language[1])
          .doesNotContain("1 errors", "1 個", "1 个");
    }
    String two = wrong.replace("\"seat_behind\"", "\"explode\"").replace("\"hold\"", "7");
    assertThat(json(call("POST", "/validate", two), 400).path("message").asText())
        .contains("2 errors");
  }

  @Test
  void aVersionThatIsNoNumberIsNamed() {
    for (String step : List.of("backtest", "canary", "activate")) {
      JsonNode refusal = json(call("POST", "/abc/" + step, ""), 400);
      assertThat(refusal.path("message").asText()).as(step).startsWith("version ");
    }
    for (String[] language :
        new String[][] {
          {"en", "version must be the number of a version of the policy, such as 12."},
          {"zh-TW", "version 必須是政策版本的編號，例如 12"},
          {"zh-CN", "version 必须是策略版本的编号，例如 12"}
        }) {
      for (String version : List.of("abc", "0", "-1", "1.5", "1".repeat(19))) {
        HttpResponse<String> refused =
            server.call(
                "GET",
                "/api/admin/policies/" + version,
                "",
                "Authorization",
                "Bearer " + TestFairgate.OPERATOR,
                "Accept-Language",
                language[0]);
        assertThat(json(refused, 400).path("message").asText()).as(version).startsWith(language[1]);
        assertThat(json(refused, 400).path("field").asText()).isEqualTo("version");
      }
    }
  }

  @Test
  void wrongInputIsExplained() {
    long version = publish(bundle("input"));
    String at = "/" + version;
    for (String[] wrong :
        new String[][] {
          {"POST", "", ""},
          {"POST", "?max_paid_refused=101", bundle("input")},
          {"POST", "?max_paid_refused=x", bundle("input")},
          {"POST", "?max_p99_micros=0", bundle("input")},
          {"POST", "?parent=x", bundle("input")},
          {"POST", "?percent=5", bundle("input")},
          {"GET", "/x", ""},
          {"GET", "/0", ""},
          {"POST", at + "/canary", ""},
          {"POST", at + "/canary", "{\"percent\": 101}"},
          {"POST", at + "/canary", "{\"percent\": 1.5}"},
          {"POST", at + "/canary", "{\"percent\": 5, \"salt\": \"x\"}"},
          {"POST", at + "/activate", "{\"confirm\": \"yes\"}"},
          {"POST", at + "/backtest", "{\"from\": \"yesterday\"}"},
          {"POST", at + "/backtest", "{\"limit\": 0}"},
          {"POST", at + "/backtest", "{\"to\": \"2000-01-01T00:00:00Z\"}"},
          {"POST", at + "/backtest", "{\"days\": 1}"},
          {"POST", "?note=a%E2%80%AEb", bundle("input")},
          {"POST", "?note=a%00b", bundle("input")},
          {"POST", "/rollback", "{\"version\": 1}"},
          {"POST", "/rollback", "{\"active\": 0}"},
          {"POST", "/rollback", "{\"active\": \"x\"}"}
        }) {
      JsonNode refusal = json(call(wrong[0], wrong[1], wrong[2]), 400);
      assertThat(refusal.path("message").asText()).as(wrong[1] + wrong[2]).isNotBlank();
    }
    for (String step : List.of("", "/backtest", "/activate")) {
      String method = step.isEmpty() ? "GET" : "POST";
      String body = step.equals("/activate") ? "{\"confirm\": true}" : "";
      assertThat(json(call(method, "/987654" + step, body), 404).path("error").asText())
          .isEqualTo("NOT_FOUND");
    }
    JsonNode orphan = json(call("POST", "?parent=987654", bundle("orphan")), 400);
    assertThat(orphan.path("field").asText()).isEqualTo("parent");
    assertThat(orphan.path("message").asText()).contains("/api/admin/policies");
    assertThat(server.call("GET", "/api/admin/policies", "").statusCode()).isEqualTo(401);
  }

  @Test
  void aRepeatedRollbackThatNamesItsVersionIsRefusedInThreeLanguages() {
    long version = publish(bundle("bad"));
    json(call("POST", "/" + version + "/activate", "{\"confirm\": true}"), 200);
    String seen = "{\"active\": " + version + "}";
    long good = json(call("POST", "/rollback", seen), 200).path("version").asLong();
    for (String[] language :
        new String[][] {
          {"en", "Another version is active by now"},
          {"zh-TW", "目前使用中的已是另一個版本"},
          {"zh-CN", "当前使用的已是另一个版本"}
        }) {
      HttpResponse<String> repeat =
          server.call(
              "POST",
              "/api/admin/policies/rollback",
              seen,
              "Authorization",
              "Bearer " + TestFairgate.OPERATOR,
              "Accept-Language",
              language[0]);
      JsonNode refusal = json(repeat, 409);
      assertThat(refusal.path("error").asText()).isEqualTo("POLICY_STATE_CONFLICT");
      assertThat(refusal.path("reason").asText()).isEqualTo("other_active");
      assertThat(refusal.path("message").asText()).startsWith(language[1]);
    }
    assertThat(listed(good).path("state").asText()).isEqualTo("active");
    assertThat(listed(version).path("state").asText()).isEqualTo("retired");
  }

  @Test
  void hiddenCharactersInTheTextsOfABundleAreProblems() {
    String wrong = bundle("hidden").replace("About rule_of_hidden", "About \\u202erule_of_hidden");
    for (String path : List.of("", "/validate")) {
      JsonNode problem = json(call("POST", path, wrong), 400).at("/problems/0");
      assertThat(problem.path("message").asText()).contains("U+202E");
      assertThat(problem.path("rule").asText()).isEqualTo("rule_of_hidden");
      assertThat(wrong.lines().toList().get(problem.path("line").asInt() - 1))
          .contains("rule_of_hidden");
    }
  }

  @Test
  void thePageOfASaleHasTheRulesOfTheActiveVersion() {
    long version = publish(bundle("told"));
    json(call("POST", "/" + version + "/activate", "{\"confirm\": true}"), 200);
    for (String[] language :
        new String[][] {
          {"en", "About rule_of_told.", "You join without a challenge."},
          {"zh-TW", "關於 rule_of_told。", "直接加入排隊，不需驗證。"},
          {"zh-CN", "关于 rule_of_told。", "直接加入排队，无需验证。"}
        }) {
      String page = server.call("GET", "/p/7", "", "Accept-Language", language[0]).body();
      assertThat(page).contains("<li>" + language[1] + "</li>", "<li>" + language[2] + "</li>");
    }
    json(call("POST", "/rollback", ""), 200);
    assertThat(server.call("GET", "/p/7", "").body()).doesNotContain("rule_of_told");
  }
}
