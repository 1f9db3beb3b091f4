package fairgate.operator.access;

import static fairgate.operator.access.TestOperator.PASSWORD;
import static fairgate.operator.access.TestOperator.cookieOf;
import static fairgate.operator.access.TestOperator.enrol;
import static fairgate.operator.access.TestOperator.json;
import static fairgate.operator.access.TestOperator.signIn;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Sign-in of operators over a socket: one-time links, both factors, sessions and personal tokens.
class OperatorSignInTest {
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
  void theLinkOfTheFirstOwnerWorksOnceAndIsNotRenewed() {
    assertThat(server.firstOwnerLink()).isEmpty();
    JsonNode me = json(owner.call("GET", "/me", "").body());
    assertThat(me.path("role").asText()).isEqualTo("owner");
    assertThat(me.path("means").asText()).isEqualTo("session");
    HttpResponse<String> console = server.call("GET", "/console", "", "cookie", owner.cookie());
    assertThat(console.statusCode()).isEqualTo(200);
    assertThat(server.call("GET", "/console", "").headers().firstValue("location"))
        .hasValue("/console/sign-in");
  }

  @Test
  void aLinkSurvivesAPreviewAndABadPasswordAndEndsWithItsUse() {
    String link = json(add("links", Role.VIEWER)).path("link").asText();
    String first = server.call("GET", link, "").body();
    assertThat(server.call("GET", link, "").body()).isEqualTo(first);
    assertThat(enrol(server, link, "short", "000000").statusCode()).isEqualTo(400);
    assertThat(enrol(server, link, PASSWORD, "000000").statusCode()).isEqualTo(400);
    TestOperator operator = TestOperator.follow(server, "links", link);
    assertThat(status(operator)).isEqualTo(200);
    HttpResponse<String> again = server.call("GET", link, "", "Accept-Language", "en");
    assertThat(again.statusCode()).isEqualTo(404);
    assertThat(again.body()).contains("This link was used");
    assertThat(enrol(server, link, PASSWORD, operator.code(30)).statusCode()).isEqualTo(404);
    assertThat(again.headers().firstValue("referrer-policy")).hasValue("no-referrer");
  }

  @Test
  void aCodeIsAcceptedOnceAndTheNextOneAgain() {
    TestOperator operator = TestOperator.add(server, "codes", Role.VIEWER);
    String next = operator.code(30);
    HttpResponse<String> entered = signIn(server, "codes", PASSWORD, next);
    assertThat(entered.statusCode()).isEqualTo(303);
    assertThat(signIn(server, "codes", PASSWORD, next).statusCode()).isEqualTo(401);
    // The code of the link belongs to an earlier time step.
    assertThat(signIn(server, "codes", PASSWORD, operator.code(0)).statusCode()).isEqualTo(401);
  }

  @Test
  void aRecoveryCodeIsAcceptedOnceInAnyForm() {
    TestOperator operator = TestOperator.add(server, "recovery", Role.VIEWER);
    String code = operator.recoveryCode();
    String loose = " " + code.toLowerCase(java.util.Locale.ROOT).replace("-", " ");
    assertThat(signIn(server, "Recovery", PASSWORD, loose).statusCode()).isEqualTo(303);
    assertThat(signIn(server, "recovery", PASSWORD, code).statusCode()).isEqualTo(401);
    String other = TestOperator.add(server, "other", Role.VIEWER).recoveryCode();
    assertThat(signIn(server, "recovery", PASSWORD, other).statusCode()).isEqualTo(401);
  }

  @Test
  void unknownNamesWrongPasswordsAndWrongCodesGetTheSamePage() {
    TestOperator operator = TestOperator.add(server, "same", Role.VIEWER);
    List<HttpResponse<String>> refused =
        List.of(
            signIn(server, "same", "wrong password 9", operator.code(30)),
            signIn(server, "same", PASSWORD, "000000"),
            signIn(server, "same", PASSWORD, ""),
            signIn(server, "same", PASSWORD, "AAAA-AAAA-AAAA-AAAA"));
    assertThat(refused).allSatisfy(reply -> assertThat(reply.statusCode()).isEqualTo(401));
    assertThat(refused.stream().map(HttpResponse::body).distinct()).hasSize(1);
    HttpResponse<String> unknown = signIn(server, "nobody", PASSWORD, "000000");
    assertThat(unknown.statusCode()).isEqualTo(401);
    assertThat(unknown.body().replace("nobody", "same")).isEqualTo(refused.getFirst().body());
    assertThat(cookieOf(unknown)).isEmpty();
  }

  @Test
  void anOperatorWhoHasNotUsedTheLinkCannotSignIn() {
    String _ = add("pending", Role.OWNER);
    assertThat(signIn(server, "pending", "", "").statusCode()).isEqualTo(401);
    assertThat(signIn(server, "pending", PASSWORD, "000000").statusCode()).isEqualTo(401);
  }

  @Test
  void tooManyWrongCodesWithTheRightPasswordLockUntilANewLink() {
    TestOperator operator = TestOperator.add(server, "locked", Role.VIEWER);
    for (int i = 0; i < OperatorSignIn.MOST_WRONG_CODES; i++) {
      assertThat(signIn(server, "locked", PASSWORD, "000000").statusCode()).isEqualTo(401);
    }
    HttpResponse<String> locked =
        Eventually.get(
            "the wrong codes are counted",
            () -> signIn(server, "locked", PASSWORD, operator.code(30)),
            reply -> reply.statusCode() == 403);
    assertThat(cookieOf(locked)).isEmpty();
    assertThat(signIn(server, "locked", "wrong password 9", operator.code(30)).statusCode())
        .as("somebody without the password learns nothing")
        .isEqualTo(401);
    String id = id("locked");
    HttpResponse<String> link =
        owner.call("POST", "/operators/" + id + "/link", "{\"reason\":\"lost telephone\"}");
    assertThat(link.statusCode()).isEqualTo(200);
    TestOperator again =
        TestOperator.follow(server, "locked", json(link.body()).path("link").asText());
    assertThat(status(operator)).as("the new link ended the old session").isEqualTo(401);
    assertThat(status(again)).isEqualTo(200);
  }

  @Test
  void signingInReplacesTheSessionAndTakesNoTokenFromTheCaller() {
    TestOperator operator = TestOperator.add(server, "fixation", Role.VIEWER);
    String old = operator.cookie();
    HttpResponse<String> entered =
        signIn(server, "fixation", PASSWORD, operator.recoveryCode(), "cookie", old);
    assertThat(entered.statusCode()).isEqualTo(303);
    assertThat(cookieOf(entered)).isNotEqualTo(old).isNotEmpty();
    assertThat(status(operator)).as("the session before").isEqualTo(401);
    String planted = "fairgate_operator=" + "A".repeat(43) + ".k1.AAAAAAAAAAAAAAAAAAAAAA";
    HttpResponse<String> fixed =
        signIn(server, "fixation", PASSWORD, operator.recoveryCode(), "cookie", planted);
    assertThat(cookieOf(fixed)).isNotEqualTo(planted);
    assertThat(server.call("GET", "/api/admin/me", "", "cookie", planted).statusCode())
        .isEqualTo(401);
  }

  @Test
  void theCookieIsStrictAndHiddenFromScripts() {
    TestOperator operator = TestOperator.add(server, "cookie", Role.VIEWER);
    HttpResponse<String> entered = signIn(server, "cookie", PASSWORD, operator.recoveryCode());
    assertThat(entered.headers().allValues("set-cookie"))
        .anyMatch(
            line ->
                line.startsWith("fairgate_operator=")
                    && line.contains("; HttpOnly; SameSite=Strict"));
  }

  @Test
  void pagesOfOtherSitesCannotActWithTheCookie() {
    TestOperator operator = TestOperator.add(server, "csrf", Role.OWNER);
    String body = "{\"name\":\"evil\",\"role\":\"owner\"}";
    String[][] origins = {
      {"sec-fetch-site", "cross-site"},
      {"sec-fetch-site", "same-site"},
      {"sec-fetch-site", "none"},
      {"origin", "https://evil.example"},
      {"origin", "null"},
      {"accept", "*/*"}
    };
    for (String[] origin : origins) {
      HttpResponse<String> answer =
          server.call(
              "POST",
              "/api/admin/operators",
              body,
              "cookie",
              operator.cookie(),
              origin[0],
              origin[1]);
      assertThat(answer.statusCode()).as(origin[1]).isEqualTo(403);
    }
    HttpResponse<String> read =
        server.call(
            "GET",
            "/api/admin/me",
            "",
            "cookie",
            operator.cookie(),
            "sec-fetch-site",
            "cross-site");
    assertThat(read.statusCode()).isEqualTo(403);
    assertThat(owner.call("GET", "/operators", "").body()).doesNotContain("evil");
    HttpResponse<String> foreign =
        server.call(
            "POST",
            "/console/sign-in",
            "name=csrf&password=x&code=x",
            "sec-fetch-site",
            "cross-site");
    assertThat(foreign.statusCode()).isEqualTo(403);
  }

  @Test
  void aHeaderWithAWrongTokenIsNotSavedByTheCookie() {
    HttpResponse<String> answer =
        server.call(
            "GET", "/api/admin/me", "", "cookie", owner.cookie(), "Authorization", "Bearer x");
    assertThat(answer.statusCode()).isEqualTo(401);
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
                .call("POST", "/me/password", change.formatted(PASSWORD, "000000"))
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
        .contains("viewer, support, seller, owner");
  }

  @Test
  void actsAreRecordedByName() {
    TestOperator operator = TestOperator.add(server, "recorded", Role.OWNER);
    String secret = "not in the log 12";
    var _ =
        operator.call(
            "POST",
            "/me/password",
            "{\"password\":\"%s\",\"one_time_code\":\"123456\",\"new_password\":\"%s\"}"
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
        .doesNotContain(secret, "123456");
  }

  @Test
  void metricsAreForOperators() {
    try (TestFairgate own =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("server.metrics", "token", "operators.shared_token_role", "support"))) {
      assertThat(own.call("GET", "/metrics", "").statusCode()).isEqualTo(401);
      assertThat(own.metrics().statusCode()).isEqualTo(200);
      TestOperator operator = TestOperator.firstOwner(own);
      String token = operator.token(Role.VIEWER);
      assertThat(own.call("GET", "/metrics", "", "Authorization", "Bearer " + token).statusCode())
          .isEqualTo(200);
      HttpResponse<String> shared =
          own.call(
              "GET",
              "/api/admin/operators",
              "",
              "Authorization",
              "Bearer " + TestFairgate.OPERATOR);
      assertThat(shared.body()).as("the role of the shared token").contains("ROLE_NOT_ALLOWED");
    }
  }

  @Test
  void withAPortOfTheirOwnOperatorsAreNotOnThePublicOne() {
    try (TestFairgate own =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("server.admin_port", "0"))) {
      String[] bearer = {"Authorization", "Bearer " + TestFairgate.OPERATOR};
      for (String path :
          List.of("/api/admin/products", "/console", "/console/sign-in", "/metrics")) {
        assertThat(own.call("GET", path, "", bearer).statusCode()).as(path).isEqualTo(404);
        assertThat(own.callAdminPort(path, bearer).statusCode()).as(path).isIn(200, 303);
      }
      assertThat(own.call("POST", "/api/admin/bans", "{}", bearer).statusCode()).isEqualTo(404);
      assertThat(own.callAdminPort("/api/products").statusCode()).isEqualTo(404);
      assertThat(own.callAdminPort("/health/live").statusCode()).isEqualTo(200);
      assertThat(own.call("GET", "/api/products", "").statusCode()).isEqualTo(200);
    }
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
