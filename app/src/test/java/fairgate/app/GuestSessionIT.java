package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// A cookie identifies a guest's place and order, so it lives as long as they do.
class GuestSessionIT {
  private static final long DAY_S = Duration.ofDays(1).toSeconds();
  private static final long WEEK_S = Duration.ofDays(7).toSeconds();
  private static final String SESSION = "fairgate_session=";
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    server = TestFairgate.start();
    String policy =
        "{\"preset\":\"queue\",\"ready_slots\":9,\"payment\":\"required\",\"presence_timeout_seconds\":"
            + DAY_S
            + ",";
    server.createProduct("71", 9, policy + "\"payment_window_seconds\":" + WEEK_S + "}");
    server.openSale("71");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void aGuestWithAWeekToPayStillOwnsTheOrderAfterADay() {
    String cookie = join();
    Eventually.await(() -> get("/api/queue/status", cookie).body().contains("ready_to_purchase"));
    HttpResponse<String> bought =
        server.callUntilAccepted(
            "POST",
            "/api/purchase",
            "{\"product_id\":\"71\",\"quantity\":1}",
            "Cookie",
            cookie,
            "Idempotency-Key",
            "a-week-to-pay");
    assertThat(bought.statusCode()).as(bought.body()).isEqualTo(200);
    String order = bought.body().replaceFirst(".*\"order_id\":\"([^\"]+)\".*", "$1");
    // The test deletes all that expires within a day: the session in Redis.
    redis("DEL", "session:" + cookie.substring(SESSION.length()));
    assertThat(get("/api/orders/" + order, cookie).body()).contains("\"status\":\"pending\"");
    assertThat(get("/api/orders/" + order, SESSION + "nobody").statusCode()).isEqualTo(404);
  }

  @Test
  void theCookieIsRenewedWithTheSessionForItsSenderOnly() {
    String cookie = join();
    String session = cookie.substring(SESSION.length());
    // For a waiting place, the node answers most status requests from its rank alone.
    Eventually.await(() -> get("/api/queue/status", cookie).body().contains("ready_to_purchase"));
    assertThat(setCookie(get("/api/queue/status", cookie))).as("seen a moment ago").isEmpty();
    // Long enough for a renewal and within the presence timeout, so the place is kept.
    String earlier = Long.toString(System.currentTimeMillis() - Duration.ofHours(2).toMillis());
    // A server that is too busy to answer may have renewed it already.
    HttpResponse<String> renewed =
        Eventually.get(
            "an answer",
            () -> {
              redis("HSET", "session:" + session, "seen", earlier);
              redis("EXPIRE", "session:" + session, "600");
              return server.call("GET", "/api/queue/status", "", "Cookie", cookie);
            },
            answer -> answer.statusCode() == 200);
    assertThat(setCookie(renewed)).hasValueSatisfying(GuestSessionIT::livesADayLongerThanTheWindow);
    assertThat(setCookie(renewed).orElseThrow()).startsWith(cookie + ";");
    assertThat(Long.parseLong(redis("TTL", "session:" + session))).isGreaterThan(WEEK_S);
    redis("HSET", "session:" + session, "seen", earlier);
    HttpResponse<String> named =
        server.callUntilAccepted("GET", "/api/queue/status", "", "X-Session-Id", session);
    assertThat(setCookie(named)).as("a client without the cookie gets none").isEmpty();
  }

  private static String join() {
    HttpResponse<String> joined =
        server.callUntilAccepted(
            "POST",
            "/api/queue/join",
            "{\"product_id\":\"71\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}");
    String cookie = setCookie(joined).orElseThrow();
    livesADayLongerThanTheWindow(cookie);
    return cookie.replaceFirst(";.*", "");
  }

  private static void livesADayLongerThanTheWindow(String cookie) {
    assertThat(cookie).contains("HttpOnly", "SameSite=Lax");
    long maxAge = Long.parseLong(cookie.replaceFirst(".*Max-Age=(\\d+).*", "$1"));
    assertThat(maxAge).isBetween(WEEK_S + DAY_S - 60, WEEK_S + DAY_S);
  }

  private static Optional<String> setCookie(HttpResponse<String> answer) {
    List<String> all = answer.headers().allValues("set-cookie");
    return all.stream().filter(each -> each.startsWith(SESSION)).findFirst();
  }

  private static HttpResponse<String> get(String path, String cookie) {
    return server.callUntilAccepted("GET", path, "", "Cookie", cookie);
  }

  private static String redis(String... command) {
    return RespConnection.call(TestEngines.shared().redisUri(), command);
  }
}
