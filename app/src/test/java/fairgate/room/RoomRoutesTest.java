package fairgate.room;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.room.token.KeyBinding;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/// Waiting rooms over HTTP: the admin API and a visitor's way, on two nodes.
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RoomRoutesTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String AUTHORIZATION = "Authorization";
  private static final String OPERATOR = "Bearer " + TestFairgate.OPERATOR;
  private static final String SECRET =
      Base64.getUrlEncoder().withoutPadding().encodeToString(new byte[32]);

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate one;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate other;

  @SuppressWarnings("NullAway.Init")
  private static PostgresAddress database;

  @BeforeAll
  static void start() {
    TestEngines engines = TestEngines.shared();
    engines.flushRedis();
    database = engines.freshDatabase();
    one = TestFairgate.start(engines, database, Map.of());
    other = TestFairgate.start(engines, database, Map.of());
  }

  @AfterAll
  static void stop() {
    one.close();
    other.close();
  }

  private static HttpResponse<String> admin(String method, String path, String body) {
    return one.callUntilAccepted(method, "/api/admin" + path, body, AUTHORIZATION, OPERATOR);
  }

  private static JsonNode json(HttpResponse<String> response) {
    try {
      return JSON.readTree(response.body());
    } catch (IOException e) {
      throw new AssertionError(response.body(), e);
    }
  }

  private static void room(String id, int capacity, boolean challenge) {
    HttpResponse<String> made =
        admin(
            "PUT",
            "/rooms/" + id,
            """
            {"hosts": ["127.0.0.1"], "paths": {"include": ["/shop"]}, "mode": "on",
             "capacity": %d, "rate": 1000, "challenge": %s, "return_url": "http://127.0.0.1/shop"}
            """
                .formatted(capacity, challenge));
    assertThat(made.statusCode()).as(made.body()).isEqualTo(200);
    for (TestFairgate node : List.of(one, other)) {
      Eventually.await(
          "the node has a head",
          () -> node.call("GET", "/q/" + id + "/head", "").statusCode() == 200);
    }
  }

  private static String hold() {
    return KeyBinding.ofSecret(Base64.getUrlDecoder().decode(SECRET)).value();
  }

  private static JsonNode join(TestFairgate node, String room) {
    HttpResponse<String> joined =
        node.callUntilAccepted("POST", "/q/" + room + "/join", "{\"hold\": \"" + hold() + "\"}");
    assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
    return json(joined);
  }

  private static HttpResponse<String> enter(TestFairgate node, String room, JsonNode place) {
    return node.call(
        "POST",
        "/q/" + room + "/enter",
        "{\"place\": \"" + place.path("place").asText() + "\", \"secret\": \"" + SECRET + "\"}",
        "Accept",
        "application/json");
  }

  @Test
  void aRoomIsCreatedChangedAndDeletedOnAllNodes() {
    room("admin", 10, true);
    HttpResponse<String> changed = admin("PATCH", "/rooms/admin", "{\"rate\": 2.5}");
    assertThat(json(changed).at("/settings/rate").asDouble()).isEqualTo(2.5);
    assertThat(json(changed).at("/settings/capacity").asInt()).isEqualTo(10);
    assertThat(
            json(admin("PUT", "/rooms/admin/mode", "{\"mode\": \"off\"}"))
                .at("/settings/mode")
                .asText())
        .isEqualTo("off");
    Eventually.await(
        "the head of the other node is off",
        () -> json(other.call("GET", "/q/admin/head", "")).path("phase").asText().equals("off"));
    assertThat(json(admin("GET", "/rooms", "")).path("rooms").findValuesAsText("id"))
        .contains("admin");
    assertThat(admin("DELETE", "/rooms/admin", "").statusCode()).isEqualTo(204);
    assertThat(admin("DELETE", "/rooms/admin", "").statusCode()).isEqualTo(404);
    Eventually.await(
        "the other node has forgotten the room",
        () -> other.call("GET", "/q/admin/head", "").statusCode() == 404);
  }

  @Test
  void aCreationLeavesARoomOfTheSameIdAsItIs() {
    String body = "{\"id\": \"twice\", \"hosts\": [\"shop.example\"], \"rate\": %d}";
    HttpResponse<String> made = admin("POST", "/rooms", body.formatted(5));
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    assertThat(json(made).path("settings").path("rate").asInt()).isEqualTo(5);
    HttpResponse<String> again = admin("POST", "/rooms", body.formatted(6));
    assertThat(again.statusCode()).isEqualTo(409);
    assertThat(json(again).path("error").asText()).isEqualTo("ROOM_EXISTS");
    assertThat(json(admin("GET", "/rooms/twice", "")).path("settings").path("rate").asInt())
        .isEqualTo(5);
    assertThat(admin("DELETE", "/rooms/twice", "").statusCode()).isEqualTo(204);
    assertThat(json(admin("POST", "/rooms", "{\"id\": \"Twice!\"}")).path("field").asText())
        .isEqualTo("id");
  }

  /// The last test, because it leaves as many rooms as there may be.
  @Test
  @Order(Integer.MAX_VALUE)
  void thereIsALimitToRooms() throws SQLException {
    assertThat(admin("PUT", "/rooms/many-0", "{\"mode\": \"off\"}").statusCode()).isEqualTo(200);
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(database), database.user(), database.password());
        Statement statement = connection.createStatement()) {
      int made =
          statement.executeUpdate(
              """
              INSERT INTO rooms (id, settings, changed_by)
              SELECT 'many-' || n, settings, changed_by
              FROM rooms, generate_series(1, %d - (SELECT count(*) FROM rooms)) AS n
              WHERE id = 'many-0'
              """
                  .formatted(Rooms.MAX_ROOMS - 1));
      assertThat(made).isPositive();
    }
    HttpResponse<String> last = admin("PUT", "/rooms/last", "{\"mode\": \"off\"}");
    assertThat(last.statusCode()).as(last.body()).isEqualTo(200);
    HttpResponse<String> more = admin("PUT", "/rooms/more", "{\"mode\": \"off\"}");
    assertThat(more.statusCode()).isEqualTo(409);
    assertThat(json(more).path("error").asText()).isEqualTo("TOO_MANY_ROOMS");
    assertThat(admin("PATCH", "/rooms/last", "{\"rate\": 5}").statusCode())
        .as("a room that exists can be changed")
        .isEqualTo(200);
  }

  @Test
  void badSettingsAreRefusedWithTheirField() {
    Map<String, String> bad =
        Map.ofEntries(
            Map.entry("{\"colour\": 1}", "colour"),
            Map.entry("{\"hosts\": [\"HTTP://x\"]}", "hosts"),
            Map.entry("{\"paths\": {\"exclud\": []}}", "paths.exclud"),
            Map.entry("{\"paths\": {\"include\": [\"shop\"]}}", "paths.include"),
            Map.entry("{\"capacity\": 0}", "capacity"),
            Map.entry("{\"rate\": 0}", "rate"),
            Map.entry("{\"session_minutes\": 61}", "session_minutes"),
            Map.entry("{\"opens_at\": \"soon\"}", "opens_at"),
            Map.entry("{\"opens_at\": \"+999999999-01-01T00:00:00Z\"}", "opens_at"),
            Map.entry("{\"closes_at\": \"-0001-01-01T00:00:00Z\"}", "closes_at"),
            Map.entry("{\"return_url\": \"https://evil.example/\"}", "return_url"),
            Map.entry("{\"titles\": {\"fr\": \"x\"}}", "titles.fr"),
            Map.entry(
                "{\"sale\": \"999\", \"hosts\": [\"x.example\"], \"return_url\":"
                    + " \"https://x.example/\"}",
                "sale"),
            Map.entry("{\"mode\": \"maybe\"}", "mode"));
    bad.forEach(
        (body, field) -> {
          HttpResponse<String> refused = admin("PUT", "/rooms/bad", body);
          assertThat(refused.statusCode()).as(body).isEqualTo(400);
          assertThat(json(refused).path("field").asText()).as(body).isEqualTo(field);
        });
    assertThat(admin("PUT", "/rooms/Bad_Id", "{}").statusCode()).isEqualTo(400);
    assertThat(one.call("GET", "/api/admin/rooms", "").statusCode()).isEqualTo(401);
  }

  @Test
  void aHostWithAPortIsRefusedWithTheReason() {
    HttpResponse<String> refused =
        one.call(
            "PUT",
            "/api/admin/rooms/port",
            "{\"hosts\": [\"shop.example:8443\"]}",
            AUTHORIZATION,
            OPERATOR,
            "Accept-Language",
            "en");
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(json(refused).path("field").asText()).isEqualTo("hosts");
    assertThat(json(refused).path("message").asText()).contains("without a scheme, port or path");
  }

  @Test
  void aSaleHasOneRoom() {
    one.createProduct("8830", 5, "{\"preset\": \"queue\"}");
    String before =
        "{\"sale\": \"8830\", \"hosts\": [\"127.0.0.1\"], \"return_url\": \"http://127.0.0.1/\"}";
    assertThat(admin("PUT", "/rooms/sale-first", before).statusCode()).isEqualTo(200);
    assertThat(admin("PUT", "/rooms/sale-first", before).statusCode())
        .as("a repeat")
        .isEqualTo(200);
    HttpResponse<String> refused = admin("PUT", "/rooms/sale-second", before);
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(json(refused).path("field").asText()).isEqualTo("sale");
    assertThat(json(refused).path("message").asText()).contains("sale-first");
    assertThat(admin("DELETE", "/rooms/sale-first", "").statusCode()).isEqualTo(204);
    assertThat(admin("PUT", "/rooms/sale-second", before).statusCode()).isEqualTo(200);
  }

  @Test
  void theReplyToAChangeHasThePhaseAfterIt() {
    String settings =
        "{\"hosts\": [\"127.0.0.1\"], \"mode\": \"on\", \"challenge\": false, \"paused\": %s}";
    HttpResponse<String> made = admin("PUT", "/rooms/phase", settings.formatted(false));
    assertThat(json(made).path("phase").asText()).isEqualTo("open");
    for (int i = 0; i < 3; i++) {
      assertThat(
              json(admin("PUT", "/rooms/phase", settings.formatted(true))).path("phase").asText())
          .isEqualTo("paused");
      assertThat(
              json(admin("PATCH", "/rooms/phase", "{\"opens_at\": \"2099-01-01T00:00:00Z\"}"))
                  .path("phase")
                  .asText())
          .isEqualTo("before");
      assertThat(
              json(admin("PUT", "/rooms/phase/mode", "{\"mode\": \"off\"}")).path("phase").asText())
          .isEqualTo("off");
      assertThat(
              json(admin("PUT", "/rooms/phase", settings.formatted(false))).path("phase").asText())
          .isEqualTo("open");
      assertThat(json(admin("POST", "/rooms/phase/revoke", "")).path("phase").asText())
          .isEqualTo("open");
    }
    assertThat(admin("DELETE", "/rooms/phase", "").statusCode()).isEqualTo(204);
    HttpResponse<String> again = admin("PUT", "/rooms/phase", settings.formatted(true));
    assertThat(json(again).path("phase").asText()).isEqualTo("paused");
  }

  private static String page(String path) {
    return one.call("GET", path, "", "Accept", "text/html", "Accept-Language", "en").body();
  }

  @Test
  void aDeletedRoomLeadsToItsShopOnAllNodes() {
    room("deleted", 1, false);
    assertThat(admin("DELETE", "/rooms/deleted", "").statusCode()).isEqualTo(204);
    for (TestFairgate node : List.of(one, other)) {
      for (String path : List.of("/q/deleted/", "/q/deleted/wait/0")) {
        Eventually.await(
            "the page leads to the shop",
            () -> {
              HttpResponse<String> gone =
                  node.call("GET", path, "", "Accept", "text/html", "Accept-Language", "en");
              return gone.statusCode() == 404
                  && gone.body().contains("it has ended")
                  && gone.body().contains("href=\"http://127.0.0.1/shop\"");
            });
      }
    }
    assertThat(page("/q/never/")).doesNotContain("http://127.0.0.1/shop");
  }

  @Test
  void anAddressWithoutTheFinalSlashLeadsToThePage() {
    room("slash", 1, false);
    for (String id : List.of("slash", "nobody")) {
      for (String query : List.of("", "?url=http://127.0.0.1/shop%2F8&lang=en")) {
        HttpResponse<String> sent = one.call("GET", "/q/" + id + query, "");
        assertThat(sent.statusCode()).isEqualTo(308);
        assertThat(sent.headers().firstValue("location")).contains("/q/" + id + "/" + query);
      }
    }
  }

  @Test
  void pagesWithoutJavaScriptTellThePhase() {
    room("told", 1, false);
    String form = "/q/told/wait/enter";
    Eventually.await("it is open", () -> page("/q/told/wait/0").contains(form));
    for (String[] told :
        new String[][] {
          {"{\"paused\": true}", "Admission is paused"},
          {"{\"opens_at\": \"2099-01-01T00:00:00Z\"}", "It opens on 2099-01-01 00:00 UTC."},
          {"{\"closes_at\": \"2020-01-01T00:00:00Z\", \"opens_at\": null}", "has ended"},
          {"{\"mode\": \"off\", \"closes_at\": null}", "Nobody has to wait"}
        }) {
      assertThat(admin("PATCH", "/rooms/told", told[0]).statusCode()).isEqualTo(200);
      Eventually.await(told[1], () -> page("/q/told/wait/0").contains(told[1]));
      String page = page("/q/told/wait/0");
      assertThat(page).doesNotContain(form, "being let in", "people are ahead");
    }
    assertThat(page("/q/told/wait/0")).contains("href=\"http://127.0.0.1/shop\"");
  }

  @Test
  void withoutJavaScriptAVisitorReadsThatTheOrderIsDrawn() {
    String settings =
        "{\"mode\": \"on\", \"pre_queue\": \"draw\", \"opens_at\": \"2099-01-01T00:00:00Z\"}";
    assertThat(admin("PUT", "/rooms/lots", settings).statusCode()).isEqualTo(200);
    Eventually.await(
        "the draw is told", () -> page("/q/lots/wait/0").contains("drawn by a random number"));
    assertThat(page("/q/lots/wait/0")).doesNotContain("in order of arrival");
  }

  @Test
  void withoutJavaScriptAVisitorReadsWhatTheChallengeNeeds() {
    room("proof", 1, true);
    String page = page("/q/proof/");
    assertThat(page).contains("You have no place yet", "Allow JavaScript", "Load again");
    assertThat(page.substring(page.indexOf("<main"), page.indexOf("</main")))
        .doesNotContain("You are in line");
    HttpResponse<String> tried =
        one.call("POST", "/q/proof/wait", "", "Accept", "text/html", "Accept-Language", "en");
    assertThat(tried.statusCode()).isEqualTo(403);
    assertThat(tried.body()).contains("href=\"/appeal/", "robot");
  }

  @Test
  void aSecondDrawIsRefusedUntilTheRoomIsCreatedAgain() {
    String shuffle = "{\"mode\": \"on\", \"pre_queue\": \"shuffle\", \"opens_at\": \"%s\"}";
    String first = shuffle.formatted("2020-01-01T10:00:00Z");
    String second = shuffle.formatted("2099-01-01T10:00:00Z");
    assertThat(admin("PUT", "/rooms/redrawn", first).statusCode()).isEqualTo(200);
    assertThat(admin("PUT", "/rooms/redrawn", first).statusCode()).isEqualTo(200);
    HttpResponse<String> refused = admin("PUT", "/rooms/redrawn", second);
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(json(refused).path("error").asText()).isEqualTo("ROOM_CANNOT_DRAW");
    assertThat(json(refused).path("message").asText()).contains("順序已封存", "重新建立");
    assertThat(json(admin("GET", "/rooms/redrawn", "")).at("/settings/opens_at").asText())
        .isEqualTo("2020-01-01T10:00:00Z");
    assertThat(admin("DELETE", "/rooms/redrawn", "").statusCode()).isEqualTo(204);
    assertThat(admin("PUT", "/rooms/redrawn", second).statusCode()).isEqualTo(200);
  }

  @Test
  void aVisitorJoinsWaitsEntersAndGetsAPass() {
    room("way", 1, false);
    JsonNode place = join(one, "way");
    HttpResponse<String> entered =
        Eventually.get(
            "the turn has come",
            () -> enter(other, "way", place),
            answer -> answer.statusCode() == 200);
    URI location = URI.create(json(entered).path("location").asText());
    assertThat(location.getHost()).isEqualTo("127.0.0.1");
    String target = location.getRawPath() + '?' + location.getRawQuery();
    HttpResponse<String> passed = one.callUntilAccepted("GET", target, "");
    assertThat(passed.statusCode()).isEqualTo(303);
    assertThat(passed.headers().firstValue("location")).contains("http://127.0.0.1/shop");
    assertThat(passed.headers().allValues("set-cookie"))
        .anyMatch(it -> it.startsWith("fairgate_pass_way=") && it.contains("HttpOnly"));
    assertThat(other.callUntilAccepted("GET", target, "").statusCode()).isEqualTo(403);
    String forged = target.replace("&to=", "&to=x");
    assertThat(one.call("GET", forged, "").statusCode()).isEqualTo(403);
    HttpResponse<String> browser = one.callUntilAccepted("GET", target, "", "Accept", "text/html");
    assertThat(browser.statusCode()).isEqualTo(303);
    assertThat(browser.headers().firstValue("location")).contains("http://127.0.0.1/shop");
    assertThat(browser.headers().allValues("set-cookie")).isEmpty();
  }

  @Test
  void theHeadIsTheSameForEveryCallerAndReadsNoCookie() {
    room("head", 1, false);
    for (int i = 0; i < 20; i++) {
      var _ = join(one, "head");
    }
    HttpResponse<String> plain =
        Eventually.get(
            "two callers get the same head",
            () -> one.call("GET", "/q/head/head", "", "Cookie", "fairgate_device=a"),
            answer ->
                answer
                    .body()
                    .equals(
                        one.call("GET", "/q/head/head", "", "Cookie", "fairgate_device=b; x=y")
                            .body()));
    assertThat(plain.headers().firstValue("cache-control"))
        .contains("public, s-maxage=1, stale-while-revalidate=5, stale-if-error=30");
    assertThat(plain.headers().allValues("set-cookie")).isEmpty();
    assertThat(plain.headers().firstValue("vary").orElse(""))
        .isEqualToIgnoringCase("accept-encoding");
    assertThat(plain.headers().map().keySet()).doesNotContain("x-request-id");
    long epoch = json(plain).path("epoch").asLong();
    String tiles = "/q/head/gone/" + epoch;
    HttpResponse<String> tile = one.callUntilAccepted("GET", tiles + "/0", "");
    assertThat(tile.headers().firstValue("cache-control").orElse("")).startsWith("public");
    assertThat(tile.headers().firstValue("content-length")).contains("2048");
    assertThat(one.call("GET", tiles + "0/0", "").statusCode()).isEqualTo(404);
    assertThat(one.call("GET", tiles + "/5", "").statusCode()).isEqualTo(404);
    assertThat(one.call("GET", "/q/none/head", "").statusCode()).isEqualTo(404);
    HttpResponse<String> keys = one.call("GET", "/.well-known/fairgate/head/jwks.json", "");
    assertThat(json(keys).path("keys")).hasSize(4);
  }

  @Test
  void onlyAddressesOfTheRoomAreSigned() {
    room("back", 1, false);
    assertThat(
            admin("POST", "/rooms/back/return-urls", "{\"url\": \"https://evil.example/\"}")
                .statusCode())
        .isEqualTo(400);
    String signed =
        json(admin("POST", "/rooms/back/return-urls", "{\"url\": \"http://127.0.0.1/shop/7\"}"))
            .path("return")
            .asText();
    HttpResponse<String> page = one.call("GET", "/q/back/?return=" + signed, "");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("http://127.0.0.1/shop/7");
    HttpResponse<String> evil = one.call("GET", "/q/back/?url=https://evil.example/", "");
    assertThat(evil.body()).contains("\"target\":\"http://127.0.0.1/shop\"");
    HttpResponse<String> port = one.call("GET", "/q/back/?url=http://127.0.0.1:8444/", "");
    assertThat(port.body()).contains("\"target\":\"http://127.0.0.1/shop\"");
    HttpResponse<String> own = one.call("GET", "/q/back/?url=http://127.0.0.1/shop/8", "");
    assertThat(own.body()).contains("\"target\":\"http://127.0.0.1/shop/8\"");
  }

  @Test
  void aJoinWithoutAKeyAndASecretNamesBoth() {
    room("bound", 1, false);
    JsonNode refused = json(one.call("POST", "/q/bound/join", "{}", "Accept-Language", "en"));
    assertThat(refused.path("message").asText()).isEqualTo("jkt or hold is required.");
  }

  @Test
  void theRefusalsOfAVisitorAreClear() {
    room("refusals", 1, true);
    assertThat(one.call("POST", "/q/refusals/join", "{\"hold\": \"" + hold() + "\"}").statusCode())
        .isEqualTo(403);
    assertThat(one.call("POST", "/q/refusals/join", "{\"turnstile_token\": \"x\"}").statusCode())
        .isEqualTo(400);
    for (String path : List.of("here", "leave", "enter")) {
      HttpResponse<String> refused = one.call("POST", "/q/refusals/" + path, "{\"place\": \"x\"}");
      assertThat(refused.statusCode()).as(path).isEqualTo(403);
      assertThat(refused.body()).contains("INVALID_PLACE_TOKEN");
      assertThat(one.call("POST", "/q/none/" + path, "{\"place\": \"x\"}").statusCode())
          .isEqualTo(404);
    }
    assertThat(one.call("POST", "/q/refusals/release", "").statusCode()).isEqualTo(403);
    assertThat(one.call("GET", "/q/refusals/pass", "").statusCode()).isEqualTo(403);
  }

  @Test
  void aVisitorWithoutJavaScriptJoinsAndEnters() {
    room("plain", 5, false);
    String wanted = "http://127.0.0.1/shop?search=" + "x".repeat(1_500);
    String page = one.call("GET", "/q/plain/?url=" + wanted.replace("?", "%3F"), "").body();
    assertThat(page).contains("action=\"/q/plain/wait\"");
    String form = "return=" + page.replaceFirst("(?s).*name=\"return\" value=\"([^\"]+)\".*", "$1");
    HttpResponse<String> joined = one.callUntilAccepted("POST", "/q/plain/wait", form);
    assertThat(joined.statusCode()).as(joined.body()).isEqualTo(303);
    assertThat(joined.headers().firstValue("location")).contains("/q/plain/wait/0");
    String cookies =
        String.join(
            "; ",
            joined.headers().allValues("set-cookie").stream()
                .map(it -> it.substring(0, it.indexOf(';')))
                .toList());
    HttpResponse<String> block = one.call("GET", "/q/plain/wait/0", "");
    assertThat(block.statusCode()).isEqualTo(200);
    assertThat(block.body()).contains("http-equiv=\"refresh\"");
    assertThat(block.headers().firstValue("cache-control")).contains("public, s-maxage=5");
    assertThat(block.headers().allValues("set-cookie")).isEmpty();
    HttpResponse<String> entered =
        Eventually.get(
            "the turn has come",
            () -> one.callUntilAccepted("POST", "/q/plain/wait/enter", "", "Cookie", cookies),
            answer -> !answer.headers().firstValue("location").orElse("").contains("/wait/0"));
    assertThat(entered.statusCode()).isEqualTo(303);
    assertThat(entered.headers().firstValue("location").orElse(""))
        .startsWith("http://127.0.0.1/q/plain/pass?turn=")
        .contains(Base64.getUrlEncoder().withoutPadding().encodeToString(wanted.getBytes(UTF_8)));
    String again = "/q/plain/wait/enter";
    assertThat(one.call("POST", again, "", "Cookie", "fairgate_place_plain=x").statusCode())
        .as("without a place: to the beginning")
        .isEqualTo(303);
    HttpResponse<String> dot =
        one.callUntilAccepted("GET", "/q/plain/dot.gif", "", "Cookie", cookies);
    assertThat(dot.statusCode()).isEqualTo(200);
    assertThat(dot.headers().firstValue("content-type")).contains("image/gif");
    assertThat(dot.headers().firstValue("cache-control")).contains("private, max-age=120");
    assertThat(one.call("GET", "/q/plain/dot.gif", "").statusCode()).isEqualTo(404);
  }
}
