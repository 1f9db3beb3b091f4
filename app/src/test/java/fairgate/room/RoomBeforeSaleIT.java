package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.app.TestFairgate;
import fairgate.room.token.KeyBinding;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A waiting room before a sale of the own shop: its queue is joined with a pass of the room only.
class RoomBeforeSaleIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final AtomicInteger IDS = new AtomicInteger(8100);
  private static final String SECRET =
      Base64.getUrlEncoder().withoutPadding().encodeToString(new byte[32]);
  private static final int STOCK = 40;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private String sale = "";
  private String room = "";

  @BeforeAll
  static void start() {
    server = TestFairgate.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void create() {
    sale = String.valueOf(IDS.incrementAndGet());
    room = "sale-" + sale;
    server.createProduct(sale, STOCK, "{\"preset\": \"queue\"}");
    server.openSale(sale);
  }

  private void room(String mode, int capacity, double rate) {
    server.admin(
        "PUT",
        "/rooms/" + room,
        """
        {"sale": "%s", "hosts": ["127.0.0.1"], "return_url": "%s/p/%s#join", "mode": "%s",
         "capacity": %d, "rate": %s, "challenge": false}
        """
            .formatted(sale, server.baseUrl(), sale, mode, capacity, rate));
    Eventually.await("the room has a head", () -> head().has("phase"));
  }

  private JsonNode head() {
    HttpResponse<String> head = server.call("GET", "/q/" + room + "/head", "");
    return json(head.statusCode() == 200 ? head.body() : "{}");
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new AssertionError(text, e);
    }
  }

  private HttpResponse<String> join(String cookies) {
    return server.callUntilAccepted(
        "POST",
        "/api/queue/join",
        "{\"product_id\": \"" + sale + "\", \"turnstile_token\": \"XXXX.DUMMY.TOKEN.XXXX\"}",
        "Cookie",
        cookies);
  }

  private void assertWaitsFirst(HttpResponse<String> refused) {
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
    assertThat(json(refused.body()).path("error").asText()).isEqualTo("ROOM_FIRST");
    assertThat(json(refused.body()).path("room_url").asText()).isEqualTo("/q/" + room + "/");
    assertThat(refused.headers().allValues("set-cookie"))
        .noneMatch(cookie -> cookie.startsWith("fairgate_session="));
  }

  private static String cookies(HttpResponse<String> answer) {
    return answer.headers().allValues("set-cookie").stream()
        .map(cookie -> cookie.substring(0, cookie.indexOf(';')))
        .collect(Collectors.joining("; "));
  }

  /// Waits in a room with a new browser; returns its cookies, with the pass.
  private static String inside(String room) {
    String hold = KeyBinding.ofSecret(new byte[32]).value();
    HttpResponse<String> joined =
        server.callUntilAccepted("POST", "/q/" + room + "/join", "{\"hold\": \"" + hold + "\"}");
    assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
    String place = json(joined.body()).path("place").asText();
    HttpResponse<String> entered =
        Eventually.get(
            "the turn has come",
            () ->
                server.call(
                    "POST",
                    "/q/" + room + "/enter",
                    "{\"place\": \"" + place + "\", \"secret\": \"" + SECRET + "\"}",
                    "Accept",
                    "application/json"),
            answer -> answer.statusCode() == 200);
    URI turn = URI.create(json(entered.body()).path("location").asText());
    HttpResponse<String> passed =
        server.callUntilAccepted("GET", turn.getRawPath() + '?' + turn.getRawQuery(), "");
    assertThat(passed.statusCode()).isEqualTo(303);
    return cookies(joined) + "; " + cookies(passed);
  }

  @Test
  void aBuyerWaitsInTheRoomAndThenJoinsTheSale() {
    room("on", 10, 1_000);
    assertWaitsFirst(join("a=b"));
    String cookies = inside(room);
    HttpResponse<String> joined = join(cookies);
    assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
    HttpResponse<String> again = join(cookies);
    assertThat(json(again.body()).path("error").asText()).isEqualTo("ALREADY_IN_QUEUE");
  }

  @Test
  void noOtherTokenAndNoSharedPassIsWorthAPlace() {
    room("on", 100, 1_000);
    String other = "other-" + sale;
    server.admin(
        "PUT",
        "/rooms/" + other,
        "{\"hosts\": [\"127.0.0.1\"], \"return_url\": \""
            + server.baseUrl()
            + "/\","
            + " \"mode\": \"on\", \"challenge\": false}");
    Eventually.await(
        "the other room has a head",
        () -> server.call("GET", "/q/" + other + "/head", "").statusCode() == 200);
    String name = "fairgate_pass_" + room + "=";
    String foreign = inside(other).replace("fairgate_pass_" + other + "=", name);
    String mine = inside(room);
    String pass = mine.substring(mine.indexOf(name) + name.length()).split(";", -1)[0];
    for (String cookies :
        List.of(
            foreign,
            name,
            name + "x",
            name + pass + "A",
            name + pass.substring(0, pass.lastIndexOf('.') + 1),
            "x" + name + pass)) {
      assertWaitsFirst(join(cookies));
    }
    assertThat(join(mine).statusCode()).isEqualTo(200);
    assertWaitsFirst(join(name + pass));
    assertWaitsFirst(join(inside(other) + "; " + name + pass));

    String late = inside(room);
    long epoch = head().path("epoch").asLong();
    server.admin("POST", "/rooms/" + room + "/revoke", "");
    Eventually.await("the epoch is new", () -> head().path("epoch").asLong() > epoch);
    assertWaitsFirst(join(late));
    assertThat(json(server.admin("GET", "/products/" + sale + "/live", "")).toString())
        .contains("\"waiting\"");
  }

  @Test
  void aReleasedPassJoinsNothing() {
    room("on", 100, 1_000);
    String cookies = inside(room);
    HttpResponse<String> released =
        server.callUntilAccepted("POST", "/q/" + room + "/release", "", "Cookie", cookies);
    assertThat(released.statusCode()).isEqualTo(204);
    assertThat(released.headers().allValues("set-cookie"))
        .hasSize(2)
        .allMatch(it -> it.contains("Max-Age=0"));
    assertWaitsFirst(join(cookies));
  }

  @Test
  void theHeadKnowsTheStockOfTheSale() {
    room("on", 10, 1_000);
    Eventually.await("the stock is told", () -> head().at("/stock/left").asInt(-1) == STOCK);
  }

  @Test
  void aRoomThatIsOffOrOnStandbyLetsBuyersJoin() {
    room("standby", 1_000, 1_000);
    Eventually.await("the room is off", () -> head().path("phase").asText().equals("off"));
    assertThat(join("a=b").statusCode()).isEqualTo(200);
    room("on", 1, 0.01);
    Eventually.await("the room is on", () -> head().path("phase").asText().equals("open"));
    assertWaitsFirst(join("a=b"));
    server.admin("PUT", "/rooms/" + room + "/mode", "{\"mode\": \"off\"}");
    Eventually.await("the room is off", () -> head().path("phase").asText().equals("off"));
    assertThat(join("a=b").statusCode()).isEqualTo(200);
  }

  @Test
  void aJoinWithoutASolvedChallengeTakesNoSlotOfARoomOnStandby() {
    room("standby", 1, 1_000);
    Eventually.await("the room is off", () -> head().path("phase").asText().equals("off"));
    HttpResponse<String> refused =
        server.callUntilAccepted(
            "POST",
            "/api/queue/join",
            "{\"product_id\": \"" + sale + "\", \"turnstile_token\": \"garbage\"}");
    assertThat(json(refused.body()).path("error").asText()).isEqualTo("INVALID_TURNSTILE_TOKEN");
    assertThat(join("a=b").statusCode()).as("the only slot is free").isEqualTo(200);
  }

  @Test
  void withoutJavaScriptTheFormLeadsToTheRoom() {
    room("on", 10, 1_000);
    String page = server.call("GET", "/p/" + sale, "").body();
    assertThat(page).contains("\"room\":{\"id\":\"" + room + "\",\"waits\":true}");
    HttpResponse<String> sent =
        server.callUntilAccepted("POST", "/p/" + sale + "/join", "", "Origin", server.baseUrl());
    assertThat(sent.statusCode()).isEqualTo(303);
    assertThat(sent.headers().firstValue("location")).contains("/q/" + room + "/");
    String cookies = inside(room);
    HttpResponse<String> placed =
        server.callUntilAccepted(
            "POST", "/p/" + sale + "/join", "", "Origin", server.baseUrl(), "Cookie", cookies);
    assertThat(placed.headers().firstValue("location")).contains("/p/" + sale);
    assertThat(placed.headers().allValues("set-cookie"))
        .anyMatch(cookie -> cookie.startsWith("fairgate_session="));
  }

  @Test
  void aRoomBeforeASaleNeedsTheAddressOfItsPage() {
    for (Map.Entry<String, String> bad :
        Map.of("{\"sale\": \"7\"}", "return_url", "{\"sale\": \"x\"}", "sale").entrySet()) {
      HttpResponse<String> refused =
          server.call(
              "PUT",
              "/api/admin/rooms/bad",
              bad.getKey(),
              "Authorization",
              "Bearer " + TestFairgate.OPERATOR);
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(json(refused.body()).path("field").asText()).isEqualTo(bad.getValue());
    }
  }
}
