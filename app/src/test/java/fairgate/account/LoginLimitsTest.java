package fairgate.account;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.RespConnection;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// How often one address may try to sign in and to register, on the whole server.
final class LoginLimitsTest {
  private static final AtomicInteger ADDRESSES = new AtomicInteger();
  private static final String PASSWORD = "correct horse 9";

  @SuppressWarnings("NullAway.Init")
  private static TestEngines engines;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  /// Every test calls from an address of its own, through a proxy that is trusted.
  private final String address = "203.0.113." + ADDRESSES.incrementAndGet();

  @BeforeAll
  static void start() {
    engines = TestEngines.privateEngines();
    server = server(engines);
  }

  private static TestFairgate server(TestEngines on) {
    return TestFairgate.start(
        on,
        on.freshDatabase(),
        Map.of(
            "limits", "on",
            // Those of all routes are not what these tests are about.
            "limit.ip", "off",
            "limit.network", "off",
            "limit.page", "off",
            // A machine under load must not make Redis seem away.
            "limit.budget_ms", "5000",
            "server.trusted_proxies", "127.0.0.1"));
  }

  @AfterAll
  static void stop() {
    server.close();
    engines.close();
  }

  private HttpResponse<String> post(String path) {
    return post(server, path);
  }

  private HttpResponse<String> post(TestFairgate node, String path) {
    String body = "{\"username\":\"%s\",\"password\":\"%s\"}".formatted(name(), PASSWORD);
    return node.call("POST", path, body, "X-Forwarded-For", address);
  }

  private HttpResponse<String> form(String path) {
    return server.call(
        "POST",
        path,
        "username=" + name() + "&password=nothing+of+the+kind",
        "Content-Type",
        "application/x-www-form-urlencoded",
        "Sec-Fetch-Site",
        "same-origin",
        "Accept",
        "text/html",
        "X-Forwarded-For",
        address);
  }

  private static String name() {
    return "u" + UUID.randomUUID().toString().substring(0, 12);
  }

  private static int retryAfter(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(429);
    return Integer.parseInt(answer.headers().firstValue("retry-after").orElseThrow());
  }

  private static double counted(String start) {
    return server
        .metrics()
        .body()
        .lines()
        .filter(line -> line.startsWith(start))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @Test
  void fiveLoginsAMinutePassAndTheSixthCostsNoHash() {
    for (int i = 0; i < 5; i++) {
      assertThat(post("/api/v1/login").statusCode()).isEqualTo(401);
    }
    double hashes = counted("fairgate_password_hashes");
    for (int i = 0; i < 3; i++) {
      assertThat(retryAfter(post("/api/v1/login"))).isBetween(1, 75);
    }
    assertThat(counted("fairgate_password_hashes")).isEqualTo(hashes);
    // Counted once, by one limiter: five times of seven bytes each.
    assertThat(RespConnection.call(engines.redisUri(), "STRLEN", "rl:login:" + address))
        .isEqualTo("35");
    assertThat(counted("fairgate_limit_degraded_total")).isZero();
  }

  @Test
  void threeRegistrationsAMinutePassAndTheFourthIsToldWhenToComeBack() {
    for (int i = 0; i < 3; i++) {
      assertThat(post("/api/v1/register").statusCode()).isEqualTo(201);
    }
    assertThat(retryAfter(post("/api/v1/register"))).isBetween(1, 75);
    assertThat(RespConnection.call(engines.redisUri(), "STRLEN", "rl:register:" + address))
        .isEqualTo("21");
  }

  @Test
  void formsAndTheApiShareOneBudget() {
    for (int i = 0; i < 2; i++) {
      assertThat(post("/api/v1/login").statusCode()).isEqualTo(401);
      assertThat(form("/account/login").statusCode()).isEqualTo(401);
    }
    assertThat(post("/api/v1/login").statusCode()).isEqualTo(401);
    HttpResponse<String> refused = form("/account/login");
    assertThat(retryAfter(refused)).isBetween(1, 75);
    assertThat(refused.headers().firstValue("content-type"))
        .hasValueSatisfying(type -> assertThat(type).startsWith("text/html"));
  }

  @Test
  void withoutRedisANodeKeepsTheLimitsForItself() {
    try (TestEngines lame = TestEngines.privateEngines();
        TestFairgate node = server(lame)) {
      lame.killRedis();
      List<Integer> logins = new ArrayList<>();
      List<Integer> registrations = new ArrayList<>();
      long start = System.nanoTime();
      for (int i = 0; i < 8; i++) {
        logins.add(post(node, "/api/v1/login").statusCode());
        registrations.add(post(node, "/api/v1/register").statusCode());
      }
      // A slow machine takes its time for the hashes, and time brings more: one in 12 and 20 s.
      int seconds = Math.toIntExact(Duration.ofNanos(System.nanoTime() - start).toSeconds());
      assertThat(logins)
          .filteredOn(status -> status == 401)
          .hasSizeBetween(1, 5 + (seconds + 11) / 12);
      assertThat(logins).filteredOn(status -> status != 401).containsOnly(429);
      assertThat(registrations)
          .filteredOn(status -> status == 201)
          .hasSizeBetween(1, 3 + (seconds + 19) / 20);
      assertThat(registrations).filteredOn(status -> status != 201).containsOnly(429);
      lame.restartRedis();
    }
  }
}
