package fairgate.app.risk;

import static fairgate.app.risk.AppealServer.cookies;
import static fairgate.app.risk.AppealServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.room.token.KeyBinding;
import fairgate.testkit.Eventually;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A granted appeal lets the person take part: pauses end, and a missing device key no longer
/// matters.
class GrantedAppealsIT {
  private static final String TEXT = "My bank was away, I could not pay in time.";

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    TestEngines.shared().flushRedis();
    server =
        TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> join(String product, String... headers) {
    String body =
        "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}".formatted(product);
    return server.callUntilAccepted("POST", "/api/queue/join", body, headers);
  }

  private static String status(String session) {
    return json(server.call("GET", "/api/queue/status", "", "X-Session-Id", session))
        .path("queue_status")
        .asText();
  }

  private static String[] with(String cookies, String... headers) {
    return Stream.concat(Stream.of(headers), Stream.of("Cookie", cookies)).toArray(String[]::new);
  }

  /// Appeals against a refusal, and decides the appeal.
  private static void appeal(HttpResponse<String> refused, String cookies, String decision) {
    String url = json(refused).path("appeal_url").asText();
    assertThat(url).as(refused.body()).startsWith("/appeal/");
    HttpResponse<String> filed =
        server.callUntilAccepted(
            "POST",
            url,
            "text=" + URLEncoder.encode(TEXT, StandardCharsets.UTF_8),
            with(cookies, "Sec-Fetch-Site", "same-origin"));
    // 200 for a repeat of one whose first answer came too late.
    assertThat(filed.statusCode()).as(filed.body()).isIn(200, 201);
    HttpResponse<String> queue =
        server.callUntilAccepted(
            "GET",
            "/api/admin/appeals?state=open&code=" + json(refused).path("error").asText(),
            "",
            "Authorization",
            "Bearer " + TestFairgate.OPERATOR);
    long id = json(queue).path("appeals").path(0).path("id").asLong();
    assertThat(server.admin("POST", "/appeals/" + id, decision)).contains("\"granted\"");
  }

  @Test
  void aGrantedAppealEndsThePauseAfterAnOrderThatWasNotPaid() {
    server.createProduct(
        "3701", 5, "{\"preset\": \"queue\", \"ready_slots\": 5, \"payment\": \"required\"}");
    server.openSale("3701");
    HttpResponse<String> joined = join("3701");
    String session = json(joined).path("session_id").asText();
    Eventually.await("the turn has come", () -> status(session).equals("ready_to_purchase"));
    HttpResponse<String> bought =
        server.callUntilAccepted(
            "POST",
            "/api/purchase",
            "{\"product_id\":\"3701\",\"quantity\":1}",
            "X-Session-Id",
            session,
            "Idempotency-Key",
            "order-of-3701");
    assertThat(bought.statusCode()).as(bought.body()).isEqualTo(200);
    String order = json(bought).path("order_id").asText();
    HttpResponse<String> cancelled =
        server.callUntilAccepted(
            "POST", "/api/orders/" + order + "/cancel", "", "X-Session-Id", session);
    assertThat(cancelled.statusCode()).as(cancelled.body()).isEqualTo(200);
    String cookies = cookies(joined);
    HttpResponse<String> refused = join("3701", "Cookie", cookies);
    assertThat(json(refused).path("error").asText()).isEqualTo("UNPAID_COOLDOWN");
    appeal(refused, cookies, "{\"decision\":\"lift\",\"reason\":\"the bank was away\"}");
    HttpResponse<String> again = join("3701", "Cookie", cookies);
    assertThat(again.statusCode()).as(again.body()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"allow\",\"duration_seconds\":3600", "\"lift\""})
  void aBrowserThatCannotSolveTheChallengeWaitsInARoomAfterItsAppeal(String decision) {
    String room = "/q/" + (decision.contains("lift") ? "lifted" : "allowed");
    server.admin(
        "PUT",
        room.replace("/q/", "/rooms/"),
        """
        {"hosts": ["127.0.0.1"], "mode": "on", "capacity": 1, "rate": 1000,
         "return_url": "http://127.0.0.1/shop"}
        """);
    Eventually.await(
        "the room has a head", () -> server.call("GET", room + "/head", "").statusCode() == 200);
    String cookies = cookies(server.callUntilAccepted("GET", "/api/challenge?product_id=3703", ""));
    String body = "{\"hold\": \"" + KeyBinding.ofSecret(new byte[32]).value() + "\"}";
    HttpResponse<String> refused =
        server.callUntilAccepted("POST", room + "/join", body, "Cookie", cookies);
    assertThat(json(refused).path("error").asText()).isEqualTo("INVALID_TURNSTILE_TOKEN");
    appeal(
        refused, cookies, "{\"decision\":%s,\"reason\":\"a screen reader\"}".formatted(decision));
    HttpResponse<String> again =
        server.callUntilAccepted("POST", room + "/join", body, "Cookie", cookies);
    assertThat(again.statusCode()).as(again.body()).isEqualTo(200);
    String wrong = body.replace("{", "{\"turnstile_token\": \"a wrong solution\", ");
    assertThat(
            server.callUntilAccepted("POST", room + "/join", wrong, "Cookie", cookies).statusCode())
        .as("a widget that failed")
        .isEqualTo(200);
    HttpResponse<String> form =
        server.callUntilAccepted(
            "POST", room + "/wait", "", with(cookies, "Sec-Fetch-Site", "same-origin"));
    assertThat(form.headers().firstValue("location"))
        .as("without JavaScript")
        .contains(room + "/wait/0");
    assertThat(json(server.callUntilAccepted("POST", room + "/join", body)).path("error").asText())
        .as("another browser")
        .isEqualTo("INVALID_TURNSTILE_TOKEN");
  }

  @Test
  void aBrowserThatCannotSolveTheChallengeJoinsAfterItsAppeal() {
    server.createProduct("3703", 5, "{\"preset\": \"queue\"}");
    server.openSale("3703");
    String cookies = cookies(server.callUntilAccepted("GET", "/api/challenge?product_id=3703", ""));
    String body = "{\"product_id\":\"3703\"}";
    HttpResponse<String> refused =
        server.callUntilAccepted("POST", "/api/queue/join", body, "Cookie", cookies);
    assertThat(json(refused).path("error").asText()).isEqualTo("INVALID_TURNSTILE_TOKEN");
    appeal(
        refused,
        cookies,
        "{\"decision\":\"allow\",\"duration_seconds\":3600,\"reason\":\"a screen reader\"}");
    HttpResponse<String> again =
        server.callUntilAccepted("POST", "/api/queue/join", body, "Cookie", cookies);
    assertThat(again.statusCode()).as(again.body()).isEqualTo(200);
    assertThat(
            json(server.callUntilAccepted("POST", "/api/queue/join", body)).path("error").asText())
        .isEqualTo("INVALID_TURNSTILE_TOKEN");
  }

  @Test
  void aSaleThatRequiresADeviceKeyRefusesFormsAsWellAndAnAppealHelps() {
    server.createProduct("3702", 5, "{\"preset\": \"queue\", \"device_key\": \"required\"}");
    server.openSale("3702");
    for (String form : List.of("join", "buy")) {
      HttpResponse<String> refused =
          server.callUntilAccepted("POST", "/p/3702/" + form, "", "Sec-Fetch-Site", "same-origin");
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
      assertThat(refused.body()).contains("DEVICE_KEY_REQUIRED");
    }
    String cookies = cookies(server.callUntilAccepted("GET", "/api/challenge?product_id=3702", ""));
    HttpResponse<String> refused = join("3702", "Cookie", cookies);
    assertThat(json(refused).path("error").asText()).isEqualTo("DEVICE_KEY_REQUIRED");
    appeal(
        refused,
        cookies,
        "{\"decision\":\"allow\",\"duration_seconds\":3600,\"reason\":\"an old telephone\"}");
    assertThat(join("3702", "Cookie", cookies).statusCode()).isEqualTo(200);
    assertThat(json(join("3702")).path("error").asText()).isEqualTo("DEVICE_KEY_REQUIRED");
  }
}
