package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.gate.limit.LimitTableTest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The limits of a running server, as callers meet them.
class LimitsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String JOIN =
      "{\"product_id\":\"31\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}";

  private static TestEngines engines;
  private static TestFairgate server;

  private static final AtomicInteger ADDRESSES = new AtomicInteger();

  /// Every test calls from an address of its own, through a proxy that is trusted.
  private final String address = "198.51.100." + ADDRESSES.incrementAndGet();

  /// A machine under load must not make Redis seem away.
  private static TestFairgate start(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>();
    all.put("limits", "on");
    all.put("limit.budget_ms", "5000");
    all.put("limit.streams", "2");
    all.put("server.trusted_proxies", "127.0.0.1");
    all.putAll(settings);
    return TestFairgate.start(engines, engines.freshDatabase(), all);
  }

  private HttpResponse<String> call(String method, String path, String body, String... headers) {
    String[] all = Arrays.copyOf(headers, headers.length + 2);
    all[headers.length] = "X-Forwarded-For";
    all[headers.length + 1] = address;
    return server.call(method, path, body, all);
  }

  private HttpResponse<String> get(String path, String... headers) {
    return call("GET", path, "", headers);
  }

  @BeforeAll
  static void start() {
    engines = TestEngines.privateEngines();
    server = start(Map.of());
    server.createProduct("31", 5, "{\"preset\": \"queue\"}");
    server.openSale("31");
  }

  @AfterAll
  static void stop() {
    server.close();
    engines.close();
  }

  private static void until(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  private static JsonNode json(HttpResponse<String> answer) {
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String header(HttpResponse<String> answer, String name) {
    return answer.headers().firstValue(name).orElse("");
  }

  @Test
  void everyRouteIsInTheTable() {
    LimitTableTest.assertLists(
        server.routes().stream()
            .map(route -> route.method() + " " + route.path())
            .collect(Collectors.toSet()));
  }

  @Test
  void theSixthCallOfASecondIsRefusedAndToldWhenToComeBack() {
    List<HttpResponse<String>> answers = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      answers.add(get("/api/products"));
    }
    assertThat(answers.subList(0, 5)).allMatch(answer -> answer.statusCode() == 200);
    HttpResponse<String> refused =
        answers.stream().filter(answer -> answer.statusCode() == 429).findFirst().orElseThrow();
    assertThat(header(refused, "retry-after")).isIn("1", "2");
    assertThat(header(refused, "ratelimit-policy")).isEqualTo("\"ip\";q=5;w=1");
    assertThat(header(refused, "ratelimit")).isEqualTo("\"ip\";r=0;t=1");
    JsonNode body = json(refused);
    assertThat(body.path("success").asBoolean(true)).isFalse();
    assertThat(body.path("error").asText()).isEqualTo("RATE_LIMIT_EXCEEDED");
    assertThat(body.path("violated_policies").get(0).asText()).isEqualTo("ip");
    assertThat(body.path("decision_id").asText()).matches("[\\w-]{22}");
    assertThat(body.path("retry_after").asText()).isEqualTo(header(refused, "retry-after"));
  }

  @Test
  void aFloodIsToldOneDecisionAndEachCallItsOwnRequest() {
    List<JsonNode> refused = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      HttpResponse<String> answer = call("POST", "/api/queue/leave", "{".repeat(i * 100));
      if (answer.statusCode() == 429) {
        refused.add(json(answer));
        assertThat(header(answer, "x-request-id"))
            .isEqualTo(refused.getLast().path("request_id").asText());
      }
    }
    assertThat(refused).hasSizeGreaterThan(10);
    assertThat(refused.stream().map(one -> one.path("request_id").asText()))
        .doesNotHaveDuplicates()
        .allMatch(id -> id.matches("[\\w-]{16}"));
    assertThat(refused.stream().map(one -> one.path("decision_id").asText()).distinct().count())
        .as("decisions told")
        .isLessThan(refused.size());
  }

  @Test
  void thePagesOfOneBuyerStayWithinIt() {
    assertThat(get("/p/31").statusCode()).isEqualTo(200);
    assertThat(get("/api/challenge/config").statusCode()).isEqualTo(200);
    HttpResponse<String> challenge = get("/api/challenge?product_id=31");
    assertThat(challenge.statusCode()).isEqualTo(200);
    HttpResponse<String> joined = call("POST", "/api/queue/join", JOIN);
    assertThat(joined.statusCode()).isEqualTo(200);
    String session = json(joined).path("session_id").asText();
    for (int i = 0; i < 2; i++) {
      assertThat(get("/api/queue/status", "X-Session-Id", session).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aPersonJoinsThreeTimesAMinute() {
    HttpResponse<String> first = call("POST", "/api/queue/join", JOIN);
    String cookie =
        first.headers().allValues("set-cookie").stream()
            .map(line -> line.split(";", 2)[0])
            .filter(line -> line.startsWith("fairgate_device"))
            .findFirst()
            .orElseThrow();
    for (int i = 0; i < 3; i++) {
      assertThat(call("POST", "/api/queue/join", JOIN, "Cookie", cookie).statusCode())
          .isEqualTo(409);
    }
    HttpResponse<String> refused = call("POST", "/api/queue/join", JOIN, "Cookie", cookie);
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(header(refused, "ratelimit-policy")).isEqualTo("\"join\";q=3;w=60");
    assertThat(header(refused, "ratelimit")).matches("\"join\";r=0;t=(5\\d|60)");
    assertThat(Integer.parseInt(header(refused, "retry-after"))).isBetween(50, 67);
  }

  @Test
  void anAddressHasSoManyStreamsOpenAndNoMore() throws IOException {
    String session = json(call("POST", "/api/queue/join", JOIN)).path("session_id").asText();
    Socket one = stream(session);
    Socket other = stream(session);
    try {
      assertThat(status(one)).contains(" 200 ");
      assertThat(status(other)).contains(" 200 ");
      HttpResponse<String> refused = get("/api/queue/stream", "X-Session-Id", session);
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(json(refused).path("violated_policies").get(0).asText()).isEqualTo("concurrent");
      assertThat(header(refused, "ratelimit-policy"))
          .isEqualTo("\"concurrent\";q=2;qu=\"concurrent-requests\"");
      // Other requests of the address are not held up by its streams.
      assertThat(get("/api/products").statusCode()).isEqualTo(200);
      one.close();
      until(
          () -> {
            try (Socket again = stream(session)) {
              return status(again).contains(" 200 ");
            } catch (IOException e) {
              throw new IllegalStateException(e);
            }
          });
    } finally {
      one.close();
      other.close();
    }
  }

  private Socket stream(String session) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket
        .getOutputStream()
        .write(
            ("GET /api/queue/stream?session_id="
                    + session
                    + " HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: "
                    + address
                    + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static String status(Socket socket) throws IOException {
    return String.valueOf(
        new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
            .readLine());
  }

  @Test
  void healthAndAssetsAreNeverRefused() {
    for (int i = 0; i < 100; i++) {
      assertThat(get("/health/live").statusCode()).isEqualTo(200);
      assertThat(get("/assets/icon.svg").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void whileRedisIsAwayReadinessSaysThatLimitsAreDegraded() {
    try (TestEngines others = TestEngines.privateEngines();
        TestFairgate node =
            TestFairgate.start(others, others.freshDatabase(), Map.of("limits", "on"))) {
      assertThat(node.call("GET", "/api/products", "").statusCode()).isEqualTo(200);
      others.killRedis();
      until(() -> node.call("GET", "/api/products", "").statusCode() == 200);
      until(() -> limits(node).path("degraded").asBoolean());
      assertThat(limits(node).path("status").asText()).isEqualTo("up");
      assertThat(node.call("GET", "/metrics", "").body()).contains("fairgate_limit_degraded_total");
      others.restartRedis();
      until(() -> !limits(node).path("degraded").asBoolean());
    }
  }

  private static JsonNode limits(TestFairgate node) {
    return json(node.call("GET", "/health/ready", "")).path("checks").path("limits");
  }

  @Test
  void everyKeyOfTheLimitsEnds() {
    HttpResponse<String> _ = call("POST", "/api/queue/join", JOIN);
    HttpResponse<String> _ = get("/");
    String keys = fairgate.RawRedis.call(engines.redisUri(), "KEYS", "rl:*");
    assertThat(keys.lines()).contains("rl:nodes");
    keys.lines()
        .forEach(
            key ->
                // -2: gone already
                assertThat(fairgate.RawRedis.call(engines.redisUri(), "PTTL", key))
                    .as(key)
                    .isNotEqualTo("-1"));
  }

  @Test
  void otherSettingsAreObeyed() {
    try (TestFairgate node =
        start(Map.of("limit.ip", "1/m window closed", "limit.network", "off"))) {
      assertThat(node.call("GET", "/api/products", "").statusCode()).isEqualTo(200);
      HttpResponse<String> refused = node.call("GET", "/api/products", "");
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(header(refused, "ratelimit-policy")).isEqualTo("\"ip\";q=1;w=60");
    }
  }
}
