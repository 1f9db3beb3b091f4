package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Redis runs and refuses writes, because its memory is full.
class FullRedisIT {
  private static final String SESSION = "3f0c1c1e-7c1f-4d36-9a53-0d0f9e6f2a11";

  @Test
  void everyRouteThatWritesAnswers503AndWorksAgainAfterwards() {
    try (TestEngines engines = TestEngines.privateEngines();
        TestFairgate server = TestFairgate.start(engines, engines.freshDatabase(), Map.of())) {
      server.createProduct("5", 3, "{\"preset\": \"queue\"}");
      server.openSale("5");
      Eventually.await("a join", () -> join(server).statusCode() == 200);
      maxMemory(engines, "1");
      unavailable(join(server));
      unavailable(server.call("GET", "/api/queue/status", "", "X-Session-Id", SESSION));
      unavailable(server.call("POST", "/api/queue/leave", "", "X-Session-Id", SESSION));
      unavailable(
          server.call(
              "POST",
              "/api/purchase",
              "{\"product_id\": \"5\", \"quantity\": 1}",
              "X-Session-Id",
              SESSION));
      maxMemory(engines, "0");
      Eventually.await("joins again", () -> join(server).statusCode() == 200);
    }
  }

  private static void maxMemory(TestEngines engines, String bytes) {
    assertThat(RespConnection.call(engines.redisUri(), "CONFIG", "SET", "maxmemory", bytes))
        .isEqualTo("OK");
  }

  private static void unavailable(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
    assertThat(answer.headers().firstValue("retry-after")).isPresent();
  }

  private static HttpResponse<String> join(TestFairgate server) {
    return server.call(
        "POST",
        "/api/queue/join",
        "{\"product_id\": \"5\", \"turnstile_token\": \"XXXX.DUMMY.TOKEN.XXXX\"}");
  }
}
