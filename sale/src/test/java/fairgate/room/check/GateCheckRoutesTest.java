package fairgate.room.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.room.Room;
import fairgate.room.token.ReturnUrls;
import fairgate.room.token.RoomClaims;
import fairgate.room.token.RoomTokens;
import fairgate.testkit.RawHttp;
import fairgate.testkit.RawHttp.Answer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// `/gate/check` over a socket, in the documented protocols of all five proxies.
class GateCheckRoutesTest {
  private static final String PAGE = "Accept: text/html,application/xhtml+xml,*/*;q=0.8";
  private static GateCheckFixture bed;

  @BeforeAll
  static void start() {
    bed = GateCheckFixture.start();
  }

  @AfterAll
  static void stop() {
    bed.close();
  }

  @BeforeEach
  void reset() {
    bed.protect();
    bed.entry = RoomStates.Entry.WAIT;
    bed.walkIn = Optional.empty();
    bed.redisIsAway = false;
    bed.redisHangs = false;
    bed.revoked.clear();
    bed.walkIns.set(0);
    bed.renewals.set(0);
  }

  /// The question of a proxy about a request from a browser.
  private static Answer ask(
      OriginalRequest.Dialect dialect, String method, String target, String... headers) {
    String word = dialect.name().toLowerCase(Locale.ROOT);
    String check = "/gate/check?room=shop&d=" + word;
    List<String> lines = new ArrayList<>(List.of(headers));
    lines.add("X-Forwarded-Proto: https");
    lines.add("X-Forwarded-For: 203.0.113.7");
    if (dialect == OriginalRequest.Dialect.ENVOY) {
      return RawHttp.send(bed.port(), method, check + "&u=" + target, lines.toArray(String[]::new));
    }
    lines.add("Host: 127.0.0.1");
    lines.add("X-Forwarded-Method: " + method);
    lines.add("X-Forwarded-Host: " + GateCheckFixture.HOST);
    lines.add("X-Forwarded-Uri: " + target);
    return RawHttp.send(bed.port(), "GET", check, lines.toArray(String[]::new));
  }

  private static String cookie(String pass) {
    return "Cookie: theme=dark; __Host-" + GateCheckFixture.COOKIE + "=" + pass;
  }

  private static int passed(OriginalRequest.Dialect dialect) {
    return dialect == OriginalRequest.Dialect.ENVOY ? 200 : 204;
  }

  @ParameterizedTest
  @EnumSource
  void aValidPassIsAdmittedAndGivenToTheShop(OriginalRequest.Dialect dialect) {
    String pass = bed.pass();
    for (String method : List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")) {
      Answer answer = ask(dialect, method, "/shop/cart?x=1&y=%20", cookie(pass));
      assertThat(answer.status()).as(method).isEqualTo(passed(dialect));
      assertThat(answer.header("x-fairgate-pass")).isEqualTo(pass);
      assertThat(answer.header("cache-control")).isEqualTo("no-store");
      assertThat(answer.headers()).doesNotContainKey("set-cookie");
    }
    assertThat(bed.renewals).hasValue(0);
    assertThat(bed.walkIns).hasValue(0);
  }

  @ParameterizedTest
  @EnumSource
  void anUnprotectedPathIsOpenAndSaysNothingOfAPass(OriginalRequest.Dialect dialect) {
    for (String path : List.of("/", "/about", "/shop/assets/a.js", "/shop/webhooks/pay?x=/shop")) {
      Answer answer = ask(dialect, "GET", path);
      assertThat(answer.status()).as(path).isEqualTo(passed(dialect));
      assertThat(answer.headers()).doesNotContainKey("x-fairgate-pass");
    }
  }

  @ParameterizedTest
  @EnumSource
  void navigationGoesToTheWaitingPageAndBackToTheSameAddress(OriginalRequest.Dialect dialect) {
    String target = "/shop/cart?a=1&b=2";
    String page =
        "https://shop.example.com/q/shop?return=" + ("https://shop.example.com" + target).length();
    for (String[] headers :
        List.of(
            new String[] {PAGE},
            new String[] {PAGE, "Sec-Fetch-Mode: navigate"},
            new String[] {"Accept: */*"})) {
      Answer answer = ask(dialect, "GET", target, headers);
      if (dialect == OriginalRequest.Dialect.NGINX) {
        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.header("x-fairgate-location")).isEqualTo(page);
        assertThat(answer.headers()).doesNotContainKey("location");
      } else {
        assertThat(answer.status()).isEqualTo(302);
        assertThat(answer.header("location")).isEqualTo(page);
      }
      assertThat(answer.header("cache-control")).isEqualTo("no-store");
    }
  }

  /// A form cannot be sent again by a redirect: the visitor returns to the page of the settings.
  @ParameterizedTest
  @EnumSource
  void aFormThatIsSentAfterTheVisitGoesToTheWaitingPage(OriginalRequest.Dialect dialect) {
    String page = "https://shop.example.com/q/shop";
    for (String[] headers :
        List.of(new String[] {PAGE}, new String[] {"Accept: */*", "Sec-Fetch-Mode: navigate"})) {
      assertThat(waitingPage(dialect, ask(dialect, "POST", "/shop/pay?step=2", headers)))
          .isEqualTo(page);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLongAddressIsKeptAndTheLongestLosesItsQueryOnly(OriginalRequest.Dialect dialect) {
    String site = "https://shop.example.com";
    String longest = "/shop?q=" + "x".repeat(ReturnUrls.MAX_LENGTH - site.length() - 8);
    assertThat(waitingPage(dialect, ask(dialect, "GET", longest, PAGE)))
        .endsWith("?return=" + ReturnUrls.MAX_LENGTH);
    assertThat(waitingPage(dialect, ask(dialect, "GET", longest + "x", PAGE)))
        .endsWith("?return=" + (site + "/shop").length());
  }

  private static String waitingPage(OriginalRequest.Dialect dialect, Answer answer) {
    boolean nginx = dialect == OriginalRequest.Dialect.NGINX;
    assertThat(answer.status()).isEqualTo(nginx ? 401 : 302);
    return answer.header(nginx ? "x-fairgate-location" : "location");
  }

  @ParameterizedTest
  @EnumSource
  void programsAndUnsafeMethodsGetJsonAndNoRedirect(OriginalRequest.Dialect dialect)
      throws IOException {
    List<Answer> answers = new ArrayList<>();
    for (String header :
        List.of(
            "Accept: application/json",
            "Sec-Fetch-Mode: cors",
            "Sec-Fetch-Mode: no-cors",
            "Sec-Fetch-Mode: websocket",
            "X-Requested-With: XMLHttpRequest",
            "Upgrade: websocket")) {
      answers.add(ask(dialect, "GET", "/shop/api", header));
    }
    for (String method : List.of("PUT", "PATCH", "DELETE")) {
      answers.add(ask(dialect, method, "/shop/cart", PAGE, "Sec-Fetch-Mode: navigate"));
    }
    answers.add(ask(dialect, "POST", "/shop/cart", "Accept: */*"));
    answers.add(ask(dialect, "POST", "/shop/cart", PAGE, "Sec-Fetch-Mode: cors"));
    for (Answer answer : answers) {
      boolean nginx = dialect == OriginalRequest.Dialect.NGINX;
      assertThat(answer.status()).isEqualTo(nginx ? 401 : 429);
      assertThat(answer.headers()).doesNotContainKeys("location", "x-fairgate-location");
      assertThat(answer.header("retry-after")).isEqualTo("10");
      JsonNode json =
          new ObjectMapper().readTree(nginx ? answer.header("x-fairgate-json") : answer.body());
      assertThat(json.get("location").asText()).isEqualTo("https://shop.example.com/q/shop");
      JsonNode room = json.get("cfWaitingRoom");
      assertThat(room.get("inWaitingRoom").asBoolean()).isTrue();
      assertThat(room.get("refreshIntervalSeconds").asInt()).isEqualTo(10);
      assertThat(room.fieldNames())
          .toIterable()
          .containsExactly(
              "inWaitingRoom",
              "waitTimeKnown",
              "waitTime",
              "waitTimeFormatted",
              "queueIsFull",
              "queueAll",
              "lastUpdated",
              "refreshIntervalSeconds");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/shop",
        "/shop/",
        "/SHOP/cart",
        "/%73hop/cart",
        "/%2573hop/cart",
        "//shop/cart",
        "/./shop/cart",
        "/%2e/shop/cart",
        "/a/../shop/cart",
        "/a/%2e%2e/shop/cart",
        "/a/..%2fshop/cart",
        "/a/..%252fshop/cart",
        "/a/..%5cshop/cart",
        "/a/..\\shop/cart",
        "/a/..;/shop/cart",
        "/shop;x=1/cart",
        "/;x/shop/cart",
        "/%2fshop/cart",
        "/shop%2fcart",
        "/shop%00",
        "/shop%",
        "/shop/assets/../cart",
        "/shop/assets/%2e%2e/cart",
        "/shop/assets/..%2fcart",
        "/shop/assets/..%252fcart",
        "/shop/assets%2f..%2fcart",
        "/shop/assets/..\\cart",
        "/shop/assets/..%5ccart",
        "/shop/assets/..;/cart",
        "/shop/assets/..;x=/cart",
        "/shop/assets/.%2e/cart",
        "/shop/assetsx",
        "/shop/assets;/../cart",
        "/shop/assets#/../cart",
        "/shop%23/assets",
        "/shop%3f/assets",
        "/shop%2523",
        "/a#/../shop/cart",
        "/shop/webhooks/../../shop/cart",
        "/shop/assets/%zz",
        "/shop/assets/%c0%ae%c0%ae/cart",
        "/shop/cart/../assets/../cart"
      })
  void noSpellingOfAProtectedPathIsOpen(String target) {
    Answer answer = ask(OriginalRequest.Dialect.CADDY, "GET", target, PAGE);
    assertThat(answer.status()).isIn(302, 403);
  }

  @Test
  void noTokenExceptAValidPassAdmits() {
    long now = Instant.now().getEpochSecond();
    RoomClaims right = GateCheckFixture.claims("shop", GateCheckFixture.EPOCH, now, now + 600);
    String pass = bed.token(RoomTokens.Type.PASS, right);
    String[] parts = pass.split("\\.", -1);
    String none = "eyJhbGciOiJub25lIiwia2lkIjoic2hvcC5wYXNzLmsxIiwidHlwIjoiZmctcGFzcytqd3QifQ";
    bed.revoked.add("revoked");
    for (String bad :
        List.of(
            "",
            "x",
            pass + "x",
            pass.substring(0, pass.length() - 2),
            pass + "." + parts[2],
            parts[0] + "." + parts[1] + ".",
            none + "." + parts[1] + ".",
            none + "." + parts[1] + "." + parts[2],
            "A".repeat(3_000),
            bed.token(RoomTokens.Type.PLACE, right),
            bed.token(RoomTokens.Type.TURN, right),
            bed.token(
                RoomTokens.Type.PASS,
                GateCheckFixture.claims("other", GateCheckFixture.EPOCH, now, now + 600)),
            bed.token(
                RoomTokens.Type.PASS,
                GateCheckFixture.claims("shop", GateCheckFixture.EPOCH - 1, now, now + 600)),
            bed.token(
                RoomTokens.Type.PASS,
                GateCheckFixture.claims("shop", GateCheckFixture.EPOCH + 1, now, now + 600)),
            bed.token(
                RoomTokens.Type.PASS,
                GateCheckFixture.claims("shop", GateCheckFixture.EPOCH, now - 600, now)),
            bed.token(
                RoomTokens.Type.PASS,
                GateCheckFixture.claims("shop", GateCheckFixture.EPOCH, now + 600, now + 900)))) {
      for (OriginalRequest.Dialect dialect : OriginalRequest.Dialect.values()) {
        assertThat(ask(dialect, "POST", "/shop/cart", cookie(bad)).status())
            .as(dialect + " " + bad)
            .isIn(401, 429);
      }
    }
    // Over https only the cookie with the prefix counts, which no other host can set.
    assertThat(
            ask(
                    OriginalRequest.Dialect.CADDY,
                    "POST",
                    "/shop",
                    "Cookie: " + GateCheckFixture.COOKIE + "=" + pass)
                .status())
        .isEqualTo(429);
    assertThat(
            ask(OriginalRequest.Dialect.CADDY, "POST", "/shop", "X-Fairgate-Pass: " + pass)
                .status())
        .isEqualTo(429);
    assertThat(ask(OriginalRequest.Dialect.CADDY, "POST", "/shop", cookie(pass)).status())
        .isEqualTo(204);
  }

  /// The signature of a pass is verified once; the facts that change are compared each time.
  @Test
  void aKnownPassEndsWithItsEpochAndItsRevocation() {
    String pass = bed.pass();
    assertThat(ask(OriginalRequest.Dialect.CADDY, "POST", "/shop", cookie(pass)).status())
        .isEqualTo(204);
    bed.revoked.add("AAECAwQFBgcICQoLDA0ODw");
    assertThat(ask(OriginalRequest.Dialect.CADDY, "POST", "/shop", cookie(pass)).status())
        .isEqualTo(429);
    bed.revoked.clear();
    assertThat(ask(OriginalRequest.Dialect.CADDY, "POST", "/shop", cookie(pass)).status())
        .isEqualTo(204);
    Room room = bed.room;
    bed.room =
        new Room(
            room.id(),
            room.rules(),
            room.sale(),
            room.mode(),
            room.admission(),
            room.opening(),
            room.failure(),
            room.look(),
            room.challenge(),
            room.limits(),
            room.algorithm(),
            room.epoch() + 1,
            room.version() + 1);
    assertThat(ask(OriginalRequest.Dialect.CADDY, "POST", "/shop", cookie(pass)).status())
        .isEqualTo(429);
  }

  @Test
  void aPassIsRenewedInItsSecondHalfAndStaysValidWhenThatFails() {
    long now = Instant.now().getEpochSecond();
    String pass =
        bed.token(
            RoomTokens.Type.PASS,
            GateCheckFixture.claims("shop", GateCheckFixture.EPOCH, now - 400, now + 200));
    Answer renewed = ask(OriginalRequest.Dialect.NGINX, "GET", "/shop", cookie(pass));
    assertThat(renewed.status()).isEqualTo(204);
    assertThat(renewed.header("set-cookie"))
        .startsWith("__Host-" + GateCheckFixture.COOKIE + "=")
        .contains("Max-Age=600", "HttpOnly", "SameSite=Lax", "Secure", "Path=/");
    bed.redisIsAway = true;
    Answer kept = ask(OriginalRequest.Dialect.NGINX, "GET", "/shop", cookie(pass));
    assertThat(kept.status()).isEqualTo(204);
    assertThat(kept.headers()).doesNotContainKey("set-cookie");
    bed.redisIsAway = false;
    bed.redisHangs = true;
    Answer soon = ask(OriginalRequest.Dialect.NGINX, "GET", "/shop", cookie(pass));
    assertThat(soon.status()).as("nobody waits for the renewal").isEqualTo(204);
    assertThat(bed.renewals).hasValue(3);
  }

  @Test
  void whatEnvoyAppendsSetsNoParameter() {
    Answer answer =
        ask(OriginalRequest.Dialect.ENVOY, "GET", "/shop?a=1&page=https://evil.example", PAGE);
    assertThat(answer.status()).isEqualTo(302);
    assertThat(answer.header("location")).contains("/q/shop").doesNotContain("evil");
  }

  @Test
  void aPassIsNotRenewedBeyondSixtyMinutes() {
    long now = Instant.now().getEpochSecond();
    RoomClaims old =
        new RoomClaims(
            "shop",
            GateCheckFixture.EPOCH,
            41,
            null,
            "id",
            now - 400,
            now + 200,
            now + 200 - 3_600);
    assertThat(
            ask(
                    OriginalRequest.Dialect.CADDY,
                    "GET",
                    "/shop",
                    cookie(bed.token(RoomTokens.Type.PASS, old)))
                .status())
        .isEqualTo(204);
    assertThat(bed.renewals).hasValue(0);
  }

  @Test
  void hostsAreComparedWithoutCasePortAndTrailingDotAndOthersAreRefused() {
    for (String host : List.of("shop.example.com", "SHOP.example.com:443", "shop.example.com.")) {
      assertThat(forHost(host).status()).as(host).isEqualTo(302);
    }
    for (String host :
        List.of("www.example.com", "127.0.0.1", "shop.example.com.evil.example", "@", "a,b")) {
      Answer answer = forHost(host);
      assertThat(answer.status()).as(host).isEqualTo(403);
      assertThat(answer.body()).contains("FORBIDDEN", "other_host");
    }
  }

  private static Answer forHost(String host, String... more) {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "Host: 127.0.0.1",
                PAGE,
                "X-Forwarded-Method: GET",
                "X-Forwarded-Proto: https",
                "X-Forwarded-Uri: /shop",
                "X-Forwarded-Host: " + host));
    lines.addAll(List.of(more));
    return RawHttp.send(
        bed.port(), "GET", "/gate/check?room=shop&d=caddy", lines.toArray(String[]::new));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-Forwarded-Host: shop.example.com",
        "X-Forwarded-Uri: /about",
        "X-Forwarded-Method: GET",
        "X-Forwarded-Proto: https"
      })
  void aRepeatedHeaderAboutTheOriginalRequestIsRefused(String header) {
    Answer answer = forHost(GateCheckFixture.HOST, header);
    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.body()).contains("bad_original_request");
  }

  @ParameterizedTest
  @ValueSource(strings = {"about", "*", "http://shop.example.com/about", "/\u00fc", ""})
  void aTargetThatIsNoPathIsRefused(String target) {
    assertThat(ask(OriginalRequest.Dialect.TRAEFIK, "GET", target, PAGE).status()).isEqualTo(403);
  }

  @Test
  void aMethodThatTheShopMayReplaceIsProtectedLikeItsReplacement() {
    bed.protect("DELETE");
    assertThat(ask(OriginalRequest.Dialect.CADDY, "GET", "/shop").status()).isEqualTo(204);
    assertThat(ask(OriginalRequest.Dialect.CADDY, "DELETE", "/shop").status()).isEqualTo(429);
    // A form can have a field such as `_method`.
    assertThat(ask(OriginalRequest.Dialect.CADDY, "POST", "/shop").status()).isEqualTo(429);
    for (String name : List.of("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override")) {
      assertThat(ask(OriginalRequest.Dialect.CADDY, "GET", "/shop", name + ": DELETE").status())
          .as(name)
          .isNotEqualTo(204);
    }
    bed.protect("POST");
    assertThat(ask(OriginalRequest.Dialect.CADDY, "GET", "/shop").status()).isEqualTo(204);
    assertThat(ask(OriginalRequest.Dialect.CADDY, "post", "/shop").status()).isEqualTo(429);
  }

  @Test
  void aRoomThatIsOffOrOpenedByItsFailurePolicyLetsEverybodyPass() {
    bed.entry = RoomStates.Entry.OPEN;
    assertThat(ask(OriginalRequest.Dialect.CADDY, "GET", "/shop").status()).isEqualTo(204);
    bed.entry = RoomStates.Entry.WAIT;
    bed.room = GateCheckFixture.room(bed.room.rules(), Room.Mode.OFF);
    assertThat(ask(OriginalRequest.Dialect.CADDY, "GET", "/shop").status()).isEqualTo(204);
    assertThat(bed.walkIns).hasValue(0);
  }

  @ParameterizedTest
  @EnumSource
  void aVisitorWalksIntoARoomOnStandbyWithANewPass(OriginalRequest.Dialect dialect) {
    bed.entry = RoomStates.Entry.WALK_IN;
    String pass = bed.pass();
    bed.walkIn = Optional.of(new RoomStates.NewPass(pass, Duration.ofMinutes(10)));
    Answer inside = ask(dialect, "GET", "/shop/cart", PAGE);
    assertThat(inside.status()).isEqualTo(passed(dialect));
    assertThat(inside.header("x-fairgate-pass")).isEqualTo(pass);
    assertThat(inside.header("set-cookie"))
        .startsWith("__Host-" + GateCheckFixture.COOKIE + "=" + pass);
    bed.walkIn = Optional.empty();
    assertThat(ask(dialect, "GET", "/shop/cart", PAGE).status()).isIn(302, 401);
    bed.redisIsAway = true;
    assertThat(ask(dialect, "GET", "/shop/cart", PAGE).status()).isIn(302, 401);
    assertThat(ask(dialect, "GET", "/shop/cart", PAGE, cookie(pass)).status())
        .isEqualTo(passed(dialect));
    assertThat(bed.walkIns).hasValue(3);
  }

  @Test
  void theOperatorMayPutTheWaitingPageOnAnotherHost() {
    String[] original = {
      "X-Forwarded-Method: GET",
      "X-Forwarded-Proto: https",
      "X-Forwarded-Uri: /shop",
      "X-Forwarded-Host: shop.example.com"
    };
    String check = "/gate/check?room=shop&d=caddy&page=";
    assertThat(
            RawHttp.send(bed.port(), "GET", check + "https%3A%2F%2Fq.example", original)
                .header("location"))
        .startsWith("https://q.example/q/shop?return=");
    for (String page : List.of("q.example", "javascript:x", "https://q.example/x", "//q.example")) {
      assertThat(RawHttp.send(bed.port(), "GET", check + page, original).status()).isEqualTo(400);
    }
  }

  @Test
  void anUnknownRoomAndAWrongDialectAreRefused() {
    String[] original = {
      "X-Forwarded-Method: GET",
      "X-Forwarded-Proto: https",
      "X-Forwarded-Uri: /shop",
      "X-Forwarded-Host: shop.example.com"
    };
    Answer unknown = RawHttp.send(bed.port(), "GET", "/gate/check?room=none&d=nginx", original);
    assertThat(unknown.status()).isEqualTo(403);
    assertThat(unknown.body()).contains("unknown_room");
    Answer dialect = RawHttp.send(bed.port(), "GET", "/gate/check?room=shop&d=apache", original);
    assertThat(dialect.status()).isEqualTo(400);
    assertThat(dialect.body()).contains("nginx, caddy, traefik, envoy, haproxy");
    assertThat(RawHttp.send(bed.port(), "GET", "/gate/check?d=nginx", original).status())
        .isEqualTo(400);
  }

  @Test
  void aBodyIsNotWaitedFor() {
    String[] lengths = {
      "Content-Length: 100", "Content-Length: 100000", "Transfer-Encoding: chunked"
    };
    for (String length : lengths) {
      Answer answer =
          ask(OriginalRequest.Dialect.ENVOY, "POST", "/about", length, "Connection: keep-alive");
      assertThat(answer.status()).as(length).isEqualTo(200);
      assertThat(answer.header("connection")).as(length).isEqualTo("close");
    }
    Answer empty =
        ask(
            OriginalRequest.Dialect.ENVOY,
            "POST",
            "/about",
            "Content-Length: 0",
            "Connection: keep-alive");
    assertThat(empty.status()).isEqualTo(200);
    assertThat(empty.header("connection")).isNotEqualTo("close");
  }

  @Test
  void onlyATrustedProxyMayAsk() {
    try (GateCheckFixture direct = GateCheckFixture.withoutProxies()) {
      Answer answer =
          RawHttp.send(
              direct.port(),
              "GET",
              "/gate/check?room=shop&d=nginx",
              "X-Forwarded-Method: GET",
              "X-Forwarded-Proto: https",
              "X-Forwarded-Uri: /about",
              "X-Forwarded-Host: shop.example.com");
      assertThat(answer.status()).isEqualTo(403);
      assertThat(answer.body()).contains("untrusted_proxy");
    }
  }

  private static double counted(String outcome) {
    return bed.metrics
        .registry()
        .get("fairgate_gate_checks_total")
        .tag("outcome", outcome)
        .counter()
        .count();
  }

  @Test
  void answersAreCountedByOutcome() {
    Map<String, Double> before = new TreeMap<>();
    List<String> outcomes = List.of("admitted", "open", "waiting", "standby", "refused");
    outcomes.forEach(outcome -> before.put(outcome, counted(outcome)));
    Answer _ = ask(OriginalRequest.Dialect.CADDY, "GET", "/shop", cookie(bed.pass()));
    Answer _ = ask(OriginalRequest.Dialect.NGINX, "GET", "/about");
    Answer _ = ask(OriginalRequest.Dialect.ENVOY, "GET", "/shop", PAGE);
    bed.entry = RoomStates.Entry.WALK_IN;
    Answer _ = ask(OriginalRequest.Dialect.HAPROXY, "GET", "/shop", PAGE);
    Answer _ = RawHttp.send(bed.port(), "GET", "/gate/check?room=shop&d=caddy");
    outcomes.forEach(
        outcome ->
            assertThat(counted(outcome))
                .as(outcome)
                .isEqualTo(before.getOrDefault(outcome, 0.0) + 1));
  }
}
