package fairgate.operator.access;

import static fairgate.operator.access.TestOperator.PASSWORD;
import static fairgate.operator.access.TestOperator.cookieOf;
import static fairgate.operator.access.TestOperator.encoded;
import static fairgate.operator.access.TestOperator.enrol;
import static fairgate.operator.access.TestOperator.json;
import static fairgate.operator.access.TestOperator.signIn;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.app.TestFairgate;
import fairgate.kernel.Role;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Sign-in of operators over a socket: one-time links, both factors and the cookie.
@Tag("journey")
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

  private static String location(HttpResponse<String> reply) {
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(303);
    return reply.headers().firstValue("location").orElseThrow();
  }

  @Test
  void theSignInLeadsToTheAddressThatWasOpened() {
    TestOperator operator = TestOperator.add(server, "returning", Role.VIEWER);
    String page = "/console/orders?status=paid&lang=en";
    String signIn = location(server.call("GET", page, ""));
    assertThat(signIn).isEqualTo("/console/sign-in?next=" + encoded(page));
    assertThat(server.call("GET", signIn, "").body()).contains("action=\"" + signIn + "\"");
    HttpResponse<String> refused =
        server.callUntilAccepted("POST", signIn, "", "sec-fetch-site", "same-origin");
    assertThat(refused.statusCode()).isEqualTo(401);
    assertThat(refused.body())
        .contains("action=\"" + signIn + "\"", "href=\"" + signIn + "&amp;lang=zh-Hant\"");
    assertThat(location(operator.signInFor(page))).isEqualTo(page);
    assertThat(location(server.call("GET", signIn, "", "cookie", operator.cookie())))
        .isEqualTo(page);
    assertThat(location(server.call("GET", "/console/check-in/7", "")))
        .isEqualTo("/console/sign-in?next=" + encoded("/console/check-in/7"));
    assertThat(location(server.call("GET", "/console/check-in/7", "", "cookie", operator.cookie())))
        .as("without the right to check in")
        .isEqualTo("/console");
  }

  @Test
  void theSignInLeadsNowhereElse() {
    TestOperator operator = TestOperator.add(server, "staying", Role.VIEWER);
    for (String bad :
        List.of(
            "//evil.example",
            "/\\evil.example",
            "/%5Cevil.example",
            "%2F%2Fevil.example",
            "/%2Fevil.example",
            "https://evil.example",
            "/console//evil.example",
            "/console\\@evil.example",
            "/console.evil.example",
            "/console/../account",
            "/console/%2e%2e/account",
            "/console/oidc/link",
            "/console/%6fidc/link",
            "/console/sign-out",
            "/account")) {
      assertThat(
              location(
                  server.call(
                      "GET",
                      "/console/sign-in?next=" + encoded(bad),
                      "",
                      "cookie",
                      operator.cookie())))
          .as(bad)
          .isEqualTo("/console");
    }
    assertThat(location(operator.signInFor("//evil.example"))).isEqualTo("/console");
  }

  @Test
  void aLinkSurvivesAPreviewAndABadPasswordAndEndsWithItsUse() {
    String link = json(add("links", Role.VIEWER)).path("link").asText();
    String first = server.call("GET", link, "").body();
    assertThat(server.call("GET", link, "").body()).isEqualTo(first);
    assertThat(enrol(server, link, "short", "wrong1").statusCode()).isEqualTo(400);
    assertThat(enrol(server, link, PASSWORD, "wrong1").statusCode()).isEqualTo(400);
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
    String typed = "\u00a0" + next.substring(0, 3) + "－" + wide(next.substring(3)) + " ";
    HttpResponse<String> entered = signIn(server, "codes", PASSWORD, typed);
    assertThat(entered.statusCode()).isEqualTo(303);
    assertThat(signIn(server, "codes", PASSWORD, next).statusCode()).isEqualTo(401);
    // The code of the link belongs to an earlier time step.
    assertThat(signIn(server, "codes", PASSWORD, operator.code(0)).statusCode()).isEqualTo(401);
  }

  /// The digits of an East Asian keyboard.
  private static String wide(String digits) {
    return digits
        .chars()
        .map(c -> c - '0' + '０')
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  @Test
  void aRecoveryCodeIsAcceptedOnceInAnyForm() {
    TestOperator operator = TestOperator.add(server, "recovery", Role.VIEWER);
    String code = operator.recoveryCode();
    String loose = " " + code.toLowerCase(Locale.ROOT).replace("-", " – ");
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
            signIn(server, "same", PASSWORD, "wrong1"),
            signIn(server, "same", PASSWORD, ""),
            signIn(server, "same", PASSWORD, "AAAA-AAAA-AAAA-AAAA"));
    assertThat(refused).allSatisfy(reply -> assertThat(reply.statusCode()).isEqualTo(401));
    assertThat(refused.stream().map(HttpResponse::body).distinct()).hasSize(1);
    HttpResponse<String> unknown = signIn(server, "nobody", PASSWORD, "wrong1");
    assertThat(unknown.statusCode()).isEqualTo(401);
    assertThat(unknown.body().replace("nobody", "same")).isEqualTo(refused.getFirst().body());
    assertThat(cookieOf(unknown)).isEmpty();
  }

  @Test
  void anOperatorWhoHasNotUsedTheLinkCannotSignIn() {
    String _ = add("pending", Role.OWNER);
    assertThat(signIn(server, "pending", "", "").statusCode()).isEqualTo(401);
    assertThat(signIn(server, "pending", PASSWORD, "wrong1").statusCode()).isEqualTo(401);
  }

  @Test
  void tooManyWrongCodesWithTheRightPasswordLockUntilANewLink() {
    TestOperator operator = TestOperator.add(server, "locked", Role.VIEWER);
    HttpResponse<String> locked =
        Eventually.get(
            "the wrong codes are counted, which no reply waits for",
            () -> {
              for (int i = 0; i < OperatorSignIn.MOST_WRONG_CODES; i++) {
                assertThat(signIn(server, "locked", PASSWORD, "wrong1").statusCode())
                    .isEqualTo(401);
              }
              return signIn(server, "locked", PASSWORD, operator.recoveryCode());
            },
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

  private static String id(String name) {
    for (JsonNode each : json(owner.call("GET", "/operators", "").body()).path("operators")) {
      if (each.path("name").asText().equals(name)) {
        return each.path("id").asText();
      }
    }
    throw new AssertionError("no operator " + name);
  }
}
