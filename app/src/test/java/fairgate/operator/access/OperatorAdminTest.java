package fairgate.operator.access;

import static fairgate.operator.access.TestOperator.PASSWORD;
import static fairgate.operator.access.TestOperator.json;
import static fairgate.operator.access.TestOperator.signIn;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.kernel.Role;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Operators, their sessions, personal tokens and records over a socket.
class OperatorAdminTest {
  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  @SuppressWarnings("NullAway.Init")
  private static TestOperator owner;

  @BeforeAll
  static void start() {
    server = TestFairgate.start();
    owner = TestOperator.firstOwner(server);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String add(String name, Role role) {
    String body = "{\"name\":\"%s\",\"role\":\"%s\"}".formatted(name, role.word());
    HttpResponse<String> added = owner.call("POST", "/operators", body);
    assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
    return added.body();
  }

  private static int status(TestOperator operator) {
    return operator.call("GET", "/me", "").statusCode();
  }

  private static int statusWith(String token) {
    return server.call("GET", "/api/admin/me", "", "Authorization", "Bearer " + token).statusCode();
  }

  @Test
  void sessionsAreListedAndEndedByTheirOwnerOnly() {
    TestOperator operator = TestOperator.add(server, "sessions", Role.SUPPORT);
    String first = operator.cookie();
    operator.signInAgain();
    JsonNode sessions = json(operator.call("GET", "/sessions", "").body()).path("sessions");
    assertThat(sessions).hasSize(2);
    assertThat(sessions.findValuesAsText("current")).containsExactlyInAnyOrder("true", "false");
    String other =
        sessions.get(0).path("current").asBoolean()
            ? sessions.get(1).path("id").asText()
            : sessions.get(0).path("id").asText();
    assertThat(owner.call("DELETE", "/sessions/" + other, "").statusCode())
        .as("of somebody else")
        .isEqualTo(404);
    assertThat(operator.call("DELETE", "/sessions/" + other, "").statusCode()).isEqualTo(200);
    assertThat(server.call("GET", "/api/admin/me", "", "cookie", first).statusCode())
        .isEqualTo(401);
    assertThat(status(operator)).isEqualTo(200);
    HttpResponse<String> out =
        server.call(
            "POST",
            "/console/sign-out",
            "",
            "cookie",
            operator.cookie(),
            "sec-fetch-site",
            "same-origin");
    assertThat(out.statusCode()).isEqualTo(303);
    assertThat(status(operator)).isEqualTo(401);
  }

  @Test
  void aNewPasswordNeedsBothFactorsAndEndsOtherSessions() {
    TestOperator operator = TestOperator.add(server, "password", Role.VIEWER);
    String first = operator.cookie();
    operator.signInAgain();
    String change =
        "{\"password\":\"%s\",\"one_time_code\":\"%s\",\"new_password\":\"another quiet phrase 8\"}";
    assertThat(
            operator
                .call("POST", "/me/password", change.formatted("wrong", operator.code(30)))
                .body())
        .contains("INVALID_CREDENTIALS");
    assertThat(
            operator
                .call("POST", "/me/password", change.formatted(PASSWORD, "wrong1"))
                .statusCode())
        .isEqualTo(401);
    assertThat(
            operator
                .call("POST", "/me/password", change.formatted(PASSWORD, operator.recoveryCode()))
                .statusCode())
        .isEqualTo(200);
    assertThat(server.call("GET", "/api/admin/me", "", "cookie", first).statusCode())
        .isEqualTo(401);
    assertThat(status(operator)).isEqualTo(200);
    assertThat(signIn(server, "password", PASSWORD, operator.recoveryCode()).statusCode())
        .isEqualTo(401);
  }

  @Test
  void aChangedRoleEndsSessionsAndTokensThatPermitMore() {
    TestOperator operator = TestOperator.add(server, "demoted", Role.SELLER);
    String seller = operator.token(Role.SELLER);
    String viewer = operator.token(Role.VIEWER);
    String path = "/operators/" + id("demoted");
    assertThat(operator.call("PATCH", path, "{\"role\":\"owner\",\"reason\":\"me\"}").body())
        .contains("ROLE_NOT_ALLOWED");
    assertThat(owner.call("PATCH", path, "{\"role\":\"support\"}").body()).contains("reason");
    HttpResponse<String> changed =
        owner.call("PATCH", path, "{\"role\":\"support\",\"reason\":\"new work\"}");
    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    assertThat(status(operator)).isEqualTo(401);
    assertThat(statusWith(seller)).isEqualTo(401);
    assertThat(statusWith(viewer)).isEqualTo(200);
    assertThat(owner.call("DELETE", path, "").statusCode()).as("no reason").isEqualTo(400);
    assertThat(owner.call("DELETE", path + "?reason=left", "").statusCode()).isEqualTo(200);
    assertThat(statusWith(viewer)).isEqualTo(401);
    assertThat(owner.call("DELETE", path + "?reason=left", "").statusCode()).isEqualTo(404);
  }

  @Test
  void tokensPermitTheirRoleOnlyAndMakeNoOtherCredentials() {
    TestOperator operator = TestOperator.add(server, "tokens", Role.SELLER);
    HttpResponse<String> more =
        operator.call("POST", "/tokens", "{\"name\":\"x\",\"role\":\"owner\"}");
    assertThat(more.body()).contains("ROLE_NOT_ALLOWED");
    assertThat(operator.call("POST", "/tokens", "{\"name\":\"x\",\"role\":\"support\"}").body())
        .contains("ROLE_NOT_ALLOWED");
    String token = owner.token(Role.OWNER);
    assertThat(token).startsWith("fgo_");
    String[] bearer = {"Authorization", "Bearer " + token};
    for (String[] call :
        new String[][] {
          {"POST", "/tokens", "{\"name\":\"more\"}"},
          {"POST", "/operators", "{\"name\":\"hidden\",\"role\":\"owner\"}"},
          {"GET", "/sessions", ""}
        }) {
      HttpResponse<String> answer = server.call(call[0], "/api/admin" + call[1], call[2], bearer);
      assertThat(answer.statusCode()).as(call[1]).isEqualTo(403);
      assertThat(answer.body()).contains("CONSOLE_SESSION_REQUIRED");
    }
    assertThat(server.call("GET", "/api/admin/me?token=" + token, "").statusCode())
        .as("a token in an address is none")
        .isEqualTo(401);
    assertThat(statusWith(token.substring(4))).isEqualTo(401);
    assertThat(statusWith(token + "x")).isEqualTo(401);
    JsonNode listed = json(owner.call("GET", "/tokens", "").body()).path("tokens").get(0);
    assertThat(listed.path("used_at").asText()).isNotEmpty();
    assertThat(listed.toString()).doesNotContain(token);
    String path = "/tokens/" + listed.path("id").asText();
    assertThat(operator.call("DELETE", path, "").statusCode()).as("of an owner").isEqualTo(404);
    assertThat(owner.call("DELETE", path, "").statusCode()).isEqualTo(200);
    assertThat(statusWith(token)).isEqualTo(401);
  }

  @Test
  void theLastOwnerStays() {
    try (TestFairgate own =
        TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of())) {
      TestOperator only = TestOperator.firstOwner(own);
      String path =
          "/operators/"
              + json(only.call("GET", "/operators", "").body())
                  .path("operators")
                  .get(0)
                  .path("id")
                  .asText();
      String viewer = "{\"role\":\"viewer\",\"reason\":\"myself\"}";
      HttpResponse<String> demoted = only.call("PATCH", path, viewer);
      assertThat(demoted.statusCode()).isEqualTo(409);
      assertThat(demoted.body()).contains("LAST_OWNER");
      assertThat(only.call("DELETE", path + "?reason=x", "").body()).contains("LAST_OWNER");
      String _ = own.admin("POST", "/operators", "{\"name\":\"unused\",\"role\":\"owner\"}");
      assertThat(only.call("DELETE", path + "?reason=x", "").body())
          .as("an owner who has not signed in yet does not count")
          .contains("LAST_OWNER");
      TestOperator second = TestOperator.add(own, "second", Role.OWNER);
      assertThat(second.call("PATCH", path, viewer).statusCode()).isEqualTo(200);
      assertThat(status(only)).isEqualTo(401);
    }
  }

  @Test
  void namesAreUniqueAndChecked() {
    String _ = add("Twice", Role.VIEWER);
    HttpResponse<String> taken =
        owner.call("POST", "/operators", "{\"name\":\"twice\",\"role\":\"viewer\"}");
    assertThat(taken.statusCode()).isEqualTo(409);
    assertThat(taken.body()).contains("OPERATOR_EXISTS");
    for (String name : List.of("a", "no spaces", "line\\nbreak", "<b>bold</b>", "x".repeat(33))) {
      String body = "{\"name\":\"" + name + "\",\"role\":\"viewer\"}";
      assertThat(owner.call("POST", "/operators", body).statusCode()).as(name).isEqualTo(400);
    }
    assertThat(owner.call("POST", "/operators", "{\"name\":\"king\",\"role\":\"king\"}").body())
        .contains("checkin, viewer, support, seller, owner");
  }

  @Test
  void actsAreRecordedByName() {
    TestOperator operator = TestOperator.add(server, "recorded", Role.OWNER);
    String secret = "not in the log 12";
    var _ =
        operator.call(
            "POST",
            "/me/password",
            "{\"password\":\"%s\",\"one_time_code\":\"never-a-code\",\"new_password\":\"%s\"}"
                .formatted(secret, secret));
    String path = "/operators/" + id("recorded") + "/sessions?reason=left+the+company";
    assertThat(operator.call("DELETE", path, "").statusCode()).isEqualTo(200);
    String log =
        Eventually.get(
            "the acts are in the log",
            () -> owner.call("GET", "/audit?operator=recorded&kind=admin", "").body(),
            body -> body.contains("left the company") && body.contains("one-time link used"));
    assertThat(log)
        .contains("\"operator\":\"recorded\"", "\"means\":\"session\"", "[redacted]")
        .doesNotContain(secret, "never-a-code");
  }

  @Test
  void actsThatTakeSomethingNeedAReasonFromAPerson() {
    server.createProduct("71", 5, "{\"preset\":\"queue\"}");
    server.openSale("71");
    HttpResponse<String> silent = owner.call("POST", "/products/71/close", "");
    assertThat(silent.statusCode()).isEqualTo(400);
    assertThat(silent.body()).contains("\"field\":\"reason\"");
    assertThat(owner.call("POST", "/products/71/close?reason=", "").statusCode()).isEqualTo(400);
    assertThat(owner.call("POST", "/products/71/close?reason=" + "x".repeat(501), "").statusCode())
        .isEqualTo(400);
    assertThat(owner.call("POST", "/bans", "{\"reason\":\"x\"}").body())
        .as("a reason in the body counts")
        .contains("\"field\":\"kind\"");
    HttpResponse<String> closed =
        owner.call("POST", "/products/71/close?reason=the+venue+is+closed", "");
    assertThat(closed.statusCode()).as(closed.body()).isEqualTo(200);
    assertThat(server.admin("GET", "/audit?kind=admin", ""))
        .contains("\"reason\":\"the venue is closed\"");
    server.createProduct("72", 5, "{\"preset\":\"queue\"}");
    server.openSale("72");
    assertThat(server.admin("POST", "/products/72/close", ""))
        .as("programs of earlier releases send none")
        .contains("closed");
    assertThat(owner.call("GET", "/products?reason=x", "").statusCode()).isEqualTo(400);
  }

  private static String id(String name) {
    for (JsonNode each : json(owner.call("GET", "/operators", "").body()).path("operators")) {
      if (each.path("name").asText().equals(name)) {
        return each.path("id").asText();
      }
    }
    throw new AssertionError("no operator " + name);
  }
}
