package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.gate.limit.LimitDefaultsTest;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The rate limits of a running server over HTTP.
class LimitsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String JOIN =
      "{\"product_id\":\"31\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}";

  private static TestEngines engines;
  private static TestFairgate server;

  private static final AtomicInteger ADDRESSES = new AtomicInteger();

  /// Every test has its own address, through a trusted proxy.
  private final String address = "198.51.100." + ADDRESSES.incrementAndGet();

  /// Long timeouts, so that a busy machine does not make Redis seem unavailable.
  private static TestFairgate start(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>();
    all.put("limits", "on");
    all.put("limit.budget_ms", "5000");
    all.put("limit.streams", "2");
    // More than one flood has calls, so that only rates are exceeded.
    all.put("limit.concurrent", "100");
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

  /// Sends concurrent calls, so that even a slow machine exceeds the rate.
  private static List<HttpResponse<String>> flood(int calls, Supplier<HttpResponse<String>> call) {
    return IntStream.range(0, calls)
        .mapToObj(_ -> CompletableFuture.supplyAsync(call, task -> Thread.ofVirtual().start(task)))
        .toList()
        .stream()
        .map(CompletableFuture::join)
        .toList();
  }

  @Test
  void everyRouteHasLimitsAndThePageListsThem() throws IOException {
    LimitDefaultsTest.assertDocuments(server.routes());
  }

  @Test
  void theSixthCallInASecondIsRefusedWithARetryTime() {
    List<HttpResponse<String>> answers = new ArrayList<>();
    // A machine that is busy enough may serve a flood within the rate.
    Eventually.await(
        "a refusal",
        () -> {
          answers.addAll(flood(40, () -> get("/api/products")));
          return answers.stream().anyMatch(answer -> answer.statusCode() == 429);
        });
    assertThat(answers).filteredOn(answer -> answer.statusCode() == 200).hasSizeGreaterThan(4);
    HttpResponse<String> refused =
        answers.stream().filter(answer -> answer.statusCode() == 429).findFirst().orElseThrow();
    assertThat(header(refused, "retry-after")).isIn("1", "2");
    assertThat(header(refused, "ratelimit-policy")).isEqualTo("\"ip\";q=5;w=1");
    assertThat(header(refused, "ratelimit")).isEqualTo("\"ip\";r=0;t=1");
    JsonNode body = json(refused);
    assertThat(body.path("success").asBoolean(true)).isFalse();
    assertThat(body.path("error").asText()).isEqualTo("RATE_LIMIT_EXCEEDED");
    assertThat(body.path("violated_policies").get(0).asText()).isEqualTo("ip");
    assertThat(body.path("decision_id").asText()).matches("[\\w-]{40,200}");
    assertThat(body.path("retry_after").asText()).isEqualTo(header(refused, "retry-after"));
  }

  @Test
  void callsInAFloodShareADecisionAndHaveTheirOwnRequestIds() {
    List<JsonNode> refused = new ArrayList<>();
    String body = "{".repeat(1_000);
    // Calls that arrive before the first decision get decisions of their own.
    Eventually.await(
        () -> {
          refused.addAll(refused(flood(60, () -> call("POST", "/api/queue/leave", body))));
          return decisions(refused) < refused.size();
        });
    assertThat(refused.stream().map(one -> one.path("request_id").asText()))
        .doesNotHaveDuplicates()
        .allMatch(id -> id.matches("[\\w-]{16}"));
  }

  private static List<JsonNode> refused(List<HttpResponse<String>> answers) {
    List<JsonNode> refused = new ArrayList<>();
    for (HttpResponse<String> answer : answers) {
      if (answer.statusCode() == 429) {
        refused.add(json(answer));
        assertThat(header(answer, "x-request-id"))
            .isEqualTo(refused.getLast().path("request_id").asText());
      }
    }
    return refused;
  }

  private static long decisions(List<JsonNode> refused) {
    return refused.stream().map(one -> one.path("decision_id").asText()).distinct().count();
  }

  @Test
  void thePagesOfOneBuyerStayWithinTheLimit() {
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
  void aPersonCanJoinThreeTimesAMinute() {
    HttpResponse<String> first = call("POST", "/api/queue/join", JOIN);
    String cookie =
        first.headers().allValues("set-cookie").stream()
            .map(line -> line.split(";", 2)[0])
            .filter(line -> line.startsWith("fairgate_device"))
            .findFirst()
            .orElseThrow();
    for (int i = 0; i < 2; i++) {
      assertThat(call("POST", "/api/queue/join", JOIN, "Cookie", cookie).statusCode())
          .isEqualTo(409);
    }
    String deposit = "/api/deposits/order_31_u" + "0".repeat(25);
    assertThat(call("DELETE", deposit, "", "Cookie", cookie).statusCode())
        .as("a deposit that is taken back counts as a join")
        .isEqualTo(404);
    HttpResponse<String> refused = call("POST", "/api/queue/join", JOIN, "Cookie", cookie);
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(header(refused, "ratelimit-policy")).isEqualTo("\"join\";q=3;w=60");
    assertThat(header(refused, "ratelimit")).matches("\"join\";r=0;t=\\d+");
    assertThat(Integer.parseInt(header(refused, "retry-after"))).isBetween(1, 67);
  }

  /// Else a program would throw its cookie away before each join.
  @Test
  void anAddressCanJoinThreeTimesAMinuteWithoutACookie() {
    for (int i = 0; i < 3; i++) {
      assertThat(call("POST", "/api/queue/join", JOIN).statusCode()).isEqualTo(200);
    }
    HttpResponse<String> refused = call("POST", "/api/queue/join", JOIN, "Accept-Language", "en");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(header(refused, "ratelimit-policy")).isEqualTo("\"join_new\";q=3;w=60");
    assertThat(json(refused).path("message").asText()).contains("no cookie", "allow cookies");
    HttpResponse<String> challenge = get("/api/challenge?product_id=31");
    String cookie = header(challenge, "set-cookie").split(";", 2)[0];
    assertThat(call("POST", "/api/queue/join", JOIN, "Cookie", cookie).statusCode())
        .as("the pages of others at the address")
        .isEqualTo(200);
  }

  @Test
  void theOpenStreamsOfAnAddressAreLimited() throws IOException {
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
      // The streams of an address do not block its other requests.
      assertThat(get("/api/products").statusCode()).isEqualTo(200);
      one.close();
      Eventually.await(
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
  void whileRedisIsAwayReadinessReportsDegradedLimits() {
    try (TestEngines others = TestEngines.privateEngines();
        TestFairgate node =
            TestFairgate.start(others, others.freshDatabase(), Map.of("limits", "on"))) {
      assertThat(node.call("GET", "/api/products", "").statusCode()).isEqualTo(200);
      others.killRedis();
      Eventually.await(() -> node.call("GET", "/api/products", "").statusCode() == 200);
      Eventually.await(() -> limits(node).path("degraded").asBoolean());
      assertThat(limits(node).path("status").asText()).isEqualTo("up");
      assertThat(node.metrics().body()).contains("fairgate_limit_degraded_total");
      others.restartRedis();
      Eventually.await(() -> !limits(node).path("degraded").asBoolean());
    }
  }

  private static JsonNode limits(TestFairgate node) {
    return json(node.call("GET", "/health/ready", "")).path("checks").path("limits");
  }

  @Test
  void everyKeyOfTheLimitsExpires() {
    HttpResponse<String> _ = call("POST", "/api/queue/join", JOIN);
    HttpResponse<String> _ = get("/");
    String keys =
        Eventually.get(
            "a window is counted",
            () -> RespConnection.call(engines.redisUri(), "KEYS", "rl:*"),
            all -> all.lines().anyMatch(key -> key.startsWith("rl:join")));
    keys.lines()
        .forEach(
            key ->
                // -2: already expired
                assertThat(RespConnection.call(engines.redisUri(), "PTTL", key))
                    .as(key)
                    .isNotEqualTo("-1"));
  }

  @Test
  void otherLimitsCanBeConfigured() {
    try (TestFairgate node =
        start(Map.of("limit.ip", "1/m window closed", "limit.network", "off"))) {
      assertThat(node.call("GET", "/api/products", "").statusCode()).isEqualTo(200);
      HttpResponse<String> refused = node.call("GET", "/api/products", "");
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(header(refused, "ratelimit-policy")).isEqualTo("\"ip\";q=1;w=60");
    }
  }
}
