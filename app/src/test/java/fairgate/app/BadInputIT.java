package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Ten thousand invalid requests to all routes of the whole server: each gets a 4xx with a code and
/// changes nothing.
class BadInputIT {
  private static final int REQUESTS = 10_000;
  private static final int AT_ONCE = 64;
  private static final String SOMEBODY = "3f0c1c1e-7c1f-4d36-9a53-0d0f9e6f2a11";
  private static final List<String> PATHS =
      List.of(
          "/api/queue/join",
          "/api/purchase",
          "/api/queue/leave",
          "/api/orders/order_6_aaaaaaaaaaaaaaaaaaaaaaaaaa/pay",
          "/api/orders/nonsense/cancel",
          "/api/payments/webhook",
          "/line/webhook",
          "/api/admin/products",
          "/api/admin/products/6/open",
          "/api/nothing/here");
  private static final List<String> VALUES =
      List.of(
          "null",
          "true",
          "-1",
          "0",
          "1.5",
          "1e309",
          "99999999999999999999",
          "-9223372036854775809",
          "\"\"",
          "\"x\"",
          "\"6\"",
          "\"６\"",
          "\"6\\u0000\"",
          "\"-6\"",
          "[]",
          "{}",
          "[[[[]]]]",
          "\"'; DROP TABLE orders; --\"",
          "\"../../etc/passwd\"",
          "\"\\ud800\"",
          "2147483648");
  private static final List<String> FIELDS =
      List.of(
          "product_id", "turnstile_token", "quantity", "purchase_token", "result", "id", "data");

  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static TestEngines engines;
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    engines = TestEngines.privateEngines();
    server = TestFairgate.start(engines, engines.freshDatabase(), Map.of());
    server.createProduct("6", 10, "{\"preset\": \"queue\"}");
    server.openSale("6");
    Eventually.await(
        "the units are for sale",
        () -> server.admin("GET", "/products/6/live", "").contains("\"free\":10"));
  }

  @AfterAll
  static void stop() {
    server.close();
    engines.close();
  }

  @Test
  void tenThousandWrongRequestsAreRefusedWithACodeAndChangeNothing() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    String before = counters();
    List<CompletableFuture<HttpResponse<String>>> flying = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      flying.add(HTTP.sendAsync(wrong(random), HttpResponse.BodyHandlers.ofString()));
      if (flying.size() == AT_ONCE) {
        flying.forEach(one -> refused(one.join(), seed));
        flying.clear();
      }
    }
    flying.forEach(one -> refused(one.join(), seed));
    assertThat(counters()).isEqualTo(before);
  }

  /// A node that is too busy for a moment refuses everything with 503.
  private static void refused(HttpResponse<String> first, long seed) {
    HttpResponse<String> answer =
        first.statusCode() == 503
            ? Eventually.get(
                "the node is not too busy",
                () -> HTTP.send(first.request(), HttpResponse.BodyHandlers.ofString()),
                again -> again.statusCode() != 503)
            : first;
    assertThat(answer.statusCode())
        .as("seed %d: %s -> %s", seed, answer.request(), answer.body())
        .isBetween(400, 499);
    assertThat(answer.body()).contains("\"error\":\"").doesNotContain("Exception");
  }

  private static HttpRequest wrong(Random random) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
            URI.create(server.baseUrl() + PATHS.get(random.nextInt(PATHS.size()))));
    if (random.nextBoolean()) {
      request.header("X-Session-Id", random.nextBoolean() ? SOMEBODY : "not-a-session");
    }
    if (random.nextInt(4) == 0) {
      request.header("Idempotency-Key", "k".repeat(1 + random.nextInt(400)));
    }
    if (random.nextInt(4) == 0) {
      request.header("Authorization", "Bearer " + "z".repeat(random.nextInt(100)));
    }
    return request.POST(HttpRequest.BodyPublishers.ofByteArray(body(random))).build();
  }

  private static byte[] body(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> new byte[0];
      case 1 -> noise(random);
      case 2 -> "[".repeat(1 + random.nextInt(3_000)).getBytes(StandardCharsets.UTF_8);
      case 3 ->
          ("{\"product_id\":\"" + "9".repeat(20_000) + "\"}").getBytes(StandardCharsets.UTF_8);
      case 4 -> new byte[] {'{', '"', 'a', '"', ':', '"', (byte) 0xc3, (byte) 0x28, '"', '}'};
      default -> object(random);
    };
  }

  private static byte[] noise(Random random) {
    byte[] bytes = new byte[random.nextInt(300)];
    random.nextBytes(bytes);
    return bytes;
  }

  /// An object with the right fields and wrong values, but never an accepted challenge token.
  private static byte[] object(Random random) {
    List<String> members = new ArrayList<>();
    for (String field : FIELDS) {
      if (random.nextBoolean()) {
        members.add("\"" + field + "\":" + VALUES.get(random.nextInt(VALUES.size())));
      }
    }
    return ("{" + String.join(",", members) + "}").getBytes(StandardCharsets.UTF_8);
  }

  private static String counters() {
    String live =
        Eventually.get(
            "the ledger answers",
            () -> server.admin("GET", "/products/6/live", ""),
            answer -> !answer.contains("\"balanced\":null"));
    return live.replaceAll(",\"server_time\":\\d+", "") + keys();
  }

  /// All keys in Redis: a refused request leaves none behind.
  private static String keys() {
    // `links:told` is written by the server itself, periodically.
    return RespConnection.call(
        engines.redisUri(),
        "EVAL",
        "return #redis.call('KEYS', '*') - redis.call('EXISTS', 'links:told')",
        "0");
  }
}
