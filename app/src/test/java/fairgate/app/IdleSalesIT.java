package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.redis.RedisSettings;
import fairgate.testkit.Eventually;
import io.vertx.core.Vertx;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Idle sales cost Redis almost nothing, and react when something happens.
class IdleSalesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int SALES = 40;
  private static final Pattern SCRIPTS = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");
  private static final long SECOND_MICROS = 1_000_000;

  @Test
  void closedSalesLeaveTheLoopsAndScheduledOnesTickSlowly() throws Exception {
    Vertx vertx = Vertx.vertx();
    try (TestEngines engines = TestEngines.privateEngines();
        TestFairgate server = TestFairgate.start(engines, engines.freshDatabase(), Map.of())) {
      for (int i = 1; i <= SALES; i++) {
        String id = Integer.toString(100 + i);
        server.createProduct(id, 3, "{\"preset\": \"queue\"}");
        server.openSale(id);
        server.admin("POST", "/products/" + id + "/close", "");
      }
      RedisSettings patient = new RedisSettings(engines.redisUri(), Duration.ofMinutes(1));
      RedisClient redis = RedisClient.connect(vertx, patient).await();
      // Twenty script runs a second each, as it was, would be 800.
      fewerScriptsThan(redis, SALES / 2);
      for (int i = 1; i <= SALES; i++) {
        server.createProduct(
            Integer.toString(200 + i),
            3,
            "{\"preset\": \"queue\", \"opens_at\": \"2199-01-01T00:00:00Z\"}");
      }
      fewerScriptsThan(redis, 2 * SALES);
      opensByTheClock(server);
      redis.close();
    } finally {
      vertx.close().await();
    }
  }

  /// Waits until fewer scripts than this run per second; a busy machine may take long to become
  /// quiet.
  private static void fewerScriptsThan(RedisClient redis, long max) {
    Deque<Sample> samples = new ArrayDeque<>();
    double _ =
        Eventually.get(
            "fewer script runs a second than " + max,
            () -> {
              samples.addLast(sample(redis));
              return samples.getLast().rateSince(samples.getFirst());
            },
            rate -> {
              Sample first = samples.getFirst();
              if (samples.getLast().micros() - first.micros() < SECOND_MICROS) {
                return false;
              }
              samples.removeFirst();
              return rate < max;
            });
  }

  /// @param micros Redis time
  private record Sample(long micros, long scripts) {
    double rateSince(Sample earlier) {
      long passed = Math.max(1, micros - earlier.micros());
      return (scripts - earlier.scripts()) * (double) SECOND_MICROS / passed;
    }
  }

  private static Sample sample(RedisClient redis) {
    RedisReply time = redis.send("TIME").await();
    return new Sample(time.at(0).number() * SECOND_MICROS + time.at(1).number(), scripts(redis));
  }

  private static long scripts(RedisClient redis) {
    Matcher found = SCRIPTS.matcher(redis.send("INFO", "commandstats").await().text());
    return found.find() ? Long.parseLong(found.group(1)) : 0;
  }

  /// `QueueLoopTest` tests the delay after the opening time.
  private static void opensByTheClock(TestFairgate server) throws Exception {
    Instant opens = Instant.now().plus(Duration.ofSeconds(4));
    server.createProduct(
        "300", 3, "{\"preset\": \"queue\", \"opens_at\": \"%s\"}".formatted(opens));
    HttpResponse<String> joined =
        server.callUntilAccepted(
            "POST",
            "/api/queue/join",
            "{\"product_id\":\"300\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}");
    assertThat(joined.statusCode()).as("join: %s", joined.body()).isEqualTo(200);
    String session = JSON.readTree(joined.body()).path("session_id").asText();
    JsonNode ready =
        Eventually.get(
            "a turn",
            () ->
                JSON.readTree(
                    server.call("GET", "/api/queue/status", "", "X-Session-Id", session).body()),
            status -> status.path("queue_status").asText().equals("ready_to_purchase"));
    assertThat(ready.path("purchase_ready_at").asLong())
        .isGreaterThanOrEqualTo(opens.toEpochMilli());
  }
}
