package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A call with a 503 response does not count in the limits, wherever they are counted.
class RefusedCallsIT {
  private static final String JOIN =
      "{\"product_id\":\"31\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}";
  private static final int TRIES = 8;

  private TestEngines engines;
  private TestFairgate server;
  private String cookie;

  @BeforeEach
  void start() {
    engines = TestEngines.privateEngines();
    // Long timeouts, so that a busy machine does not make Redis seem unavailable.
    server =
        TestFairgate.start(
            engines,
            engines.freshDatabase(),
            Map.of("limits", "on", "limit.ip", "off", "limit.budget_ms", "5000"));
    for (String sale : List.of("30", "31")) {
      server.createProduct(sale, 5, "{\"preset\": \"queue\"}");
      server.openSale(sale);
    }
    // A caller without a cookie is unknown; joining another sale sets one.
    HttpResponse<String> first =
        server.callUntilAccepted("POST", "/api/queue/join", JOIN.replace("31", "30"));
    cookie =
        first.headers().allValues("set-cookie").stream()
            .filter(line -> line.startsWith("fairgate_device="))
            .map(line -> line.substring(0, line.indexOf(';')))
            .findFirst()
            .orElseThrow();
  }

  @AfterEach
  void stop() {
    server.close();
    engines.close();
  }

  private HttpResponse<String> join() {
    return server.call("POST", "/api/queue/join", JOIN, "Cookie", cookie);
  }

  private void joinsAreRefused() {
    Eventually.await(() -> join().statusCode() == 503);
    for (int i = 0; i < TRIES; i++) {
      assertThat(join().statusCode()).as("try %d", i).isEqualTo(503);
    }
  }

  private void aPlaceIsGiven() {
    Eventually.await(
        () -> {
          HttpResponse<String> answer = join();
          assertThat(answer.statusCode()).as(answer.body()).isIn(200, 503);
          return answer.statusCode() == 200;
        });
  }

  private long used() {
    String[] keys = RespConnection.call(engines.redisUri(), "KEYS", "rl:join:*").split("\n", -1);
    return keys[0].isEmpty()
        ? 0
        : Long.parseLong(RespConnection.call(engines.redisUri(), "STRLEN", keys[0]));
  }

  @Test
  void joinsCountedInRedisAreGivenBack() {
    engines.pausePostgres();
    try {
      // Redis has lost the sale, and it cannot be rebuilt.
      assertThat(RespConnection.call(engines.redisUri(), "DEL", "event:31:sale")).isEqualTo("1");
      joinsAreRefused();
      Eventually.await(() -> used() == 0);
    } finally {
      engines.resumePostgres();
    }
    aPlaceIsGiven();
    // Only the successful attempt counts: 7 bytes.
    var _ = Eventually.get("bytes of the window", this::used, bytes -> bytes == 7);
  }

  @Test
  void joinsCountedOnThisNodeAreGivenBack() {
    engines.killRedis();
    try {
      joinsAreRefused();
    } finally {
      engines.restartRedis();
    }
    Eventually.await(
        "an idle node knows that Redis is back",
        () ->
            server
                .call("GET", "/health/ready", "")
                .body()
                .matches("(?s).*\"limits\":\\{\"status\":\"up\",\"degraded\":false.*"));
    aPlaceIsGiven();
  }
}
