package fairgate.gate.signal;

import static fairgate.gate.signal.SignalServer.value;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.challenge.GateFixture;
import fairgate.gate.signal.HotClients.By;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HotClientsTest {
  private static final Vertx VERTX = Vertx.vertx();
  private static final RedisClient REDIS =
      RedisClient.connect(
              VERTX, new RedisSettings(TestEngines.shared().redisUri(), Duration.ofSeconds(10)))
          .await();
  private static final String PRINT = "F".repeat(43);

  private final GateFixture gate = new GateFixture();
  private final Metrics metrics = new Metrics();
  private final FingerprintSource fingerprints =
      new FingerprintSource(
          new SharedByScript(REDIS),
          new SignalKeys(gate.keys, product -> "event:" + product),
          gate.clock);
  private final HotClients hot = new HotClients(fingerprints, gate.keys, gate.clock, metrics, 5);
  private final SignalServer server = new SignalServer(hot, true, null, hot::refused);

  @AfterAll
  static void closeRedis() {
    REDIS.close();
    VERTX.close().await();
  }

  @AfterEach
  void close() {
    server.close();
    gate.close();
  }

  private void fail(String address, String code, int times) {
    for (int i = 0; i < times; i++) {
      var _ =
          server.send(
              "/refuse?code=" + code,
              "{\"product_id\": \"7\"}",
              "X-Forwarded-For",
              address,
              "Browser-Fingerprint",
              "1." + PRINT + ".0");
    }
  }

  private List<String> top(By by) {
    return hot.top(by, 10).stream().map(one -> one.value() + ' ' + one.failures()).toList();
  }

  private String metric(String name) {
    return metrics
        .scrape()
        .lines()
        .filter(line -> line.startsWith(name + ' '))
        .findFirst()
        .map(line -> line.substring(name.length() + 1))
        .orElse("absent");
  }

  @Test
  void theWorstAddressIsTheFirst() {
    fail("203.0.113.1", "INVALID_TURNSTILE_TOKEN", 3);
    fail("203.0.113.2", "RATE_LIMIT_EXCEEDED", 7);
    fail("2001:db8:1:2::3", "NOT_FOUND", 1);
    assertThat(top(By.ADDRESS))
        .containsExactly("203.0.113.2 7", "203.0.113.1 3", "2001:db8:1::/56 1");
    assertThat(hot.top(By.ADDRESS, 1)).hasSize(1);
    assertThat(hot.top(By.ADDRESS, 1).getFirst().name()).hasSize(22).doesNotContain("203");
    assertThat(value(server.join("X-Forwarded-For", "203.0.113.2"), "failures_of_address"))
        .isEqualTo(7L);
  }

  @Test
  void refusalsThatAnHonestCrowdCausesDoNotCount() {
    for (String code :
        List.of("INSUFFICIENT_STOCK", "SALE_NOT_OPEN", "SERVICE_UNAVAILABLE", "SERVER_ERROR")) {
      fail("203.0.113.1", code, 2);
    }
    assertThat(top(By.ADDRESS)).isEmpty();
    assertThat(top(By.FINGERPRINT)).isEmpty();
  }

  @Test
  void metricsHaveTheHighestAndTheNumberOverTheAlarmAndNoClient() {
    fail("203.0.113.1", "NOT_FOUND", 4);
    fail("203.0.113.2", "NOT_FOUND", 6);
    fail("203.0.113.3", "NOT_FOUND", 9);
    assertThat(metric("fairgate_client_failures_highest{by=\"address\"}")).isEqualTo("9.0");
    assertThat(metric("fairgate_clients_over_alarm{by=\"address\"}")).isEqualTo("2.0");
    assertThat(metric("fairgate_client_failures_highest{by=\"fingerprint\"}")).isEqualTo("19.0");
    assertThat(metric("fairgate_clients_over_alarm{by=\"fingerprint\"}")).isEqualTo("1.0");
    assertThat(metric("fairgate_client_failures_highest{by=\"device\"}")).isEqualTo("0.0");
    assertThat(metrics.scrape()).doesNotContain("203.0.113");
  }

  @Test
  void failuresAreForgotten() {
    fail("203.0.113.1", "NOT_FOUND", 4);
    gate.clock.advance(Duration.ofMinutes(25));
    assertThat(top(By.ADDRESS)).isEmpty();
    assertThat(metric("fairgate_client_failures_highest{by=\"address\"}")).isEqualTo("0.0");
  }
}
