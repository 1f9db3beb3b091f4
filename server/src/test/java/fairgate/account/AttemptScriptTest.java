package fairgate.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.SaleWorld;
import fairgate.account.AttemptScript.Delays;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class AttemptScriptTest {
  private static final Delays DELAYS =
      new Delays(3, Duration.ofSeconds(10), Duration.ofSeconds(60), Duration.ofHours(1));

  private final RedisClient redis = SaleWorld.connect();
  private final AttemptScript script = new AttemptScript(redis);
  private final String key = AccountKeys.attempts(UUID.randomUUID().toString());

  private Duration attempt() {
    return script.run(key, DELAYS).await();
  }

  /// As if the delay had passed.
  private void skip() {
    var _ = redis.send("HSET", key, "next", "0").await();
  }

  @Test
  void aFewTriesAreFree() {
    assertThat(attempt()).isZero();
    assertThat(attempt()).isZero();
    assertThat(attempt()).isZero();
    assertThat(attempt()).isZero();
    assertThat(attempt()).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(10));
  }

  @Test
  void eachFurtherFailureDoublesTheDelayUpToTheLongest() {
    for (int i = 0; i < DELAYS.free(); i++) {
      assertThat(attempt()).isZero();
    }
    List<Long> delays = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      assertThat(attempt()).isZero();
      delays.add(Math.round(attempt().toMillis() / 10_000.0) * 10);
      skip();
    }
    assertThat(delays).containsExactly(10L, 20L, 40L, 60L, 60L);
  }

  @Test
  void whoIsToldToWaitHasNotTried() {
    for (int i = 0; i < 4; i++) {
      assertThat(attempt()).isZero();
    }
    assertThat(attempt()).isPositive();
    assertThat(attempt()).isPositive();
    assertThat(redis.send("HGET", key, "failures").await().text()).isEqualTo("4");
  }

  @Test
  void successForgetsTheFailures() {
    for (int i = 0; i < 4; i++) {
      assertThat(attempt()).isZero();
    }
    script.clear(key).await();
    assertThat(attempt()).isZero();
    assertThat(redis.send("HGET", key, "failures").await().text()).isEqualTo("1");
  }

  @Test
  void theCountEndsByItself() {
    assertThat(attempt()).isZero();
    assertThat(redis.send("PTTL", key).await().number()).isBetween(3_500_000L, 3_600_000L);
  }

  @Test
  void whatIsNoCountIsLeftAlone() {
    var _ = redis.send("SET", key, "something").await();
    assertThatThrownBy(this::attempt).isInstanceOf(RedisFailure.class);
    assertThat(redis.send("GET", key).await().text()).isEqualTo("something");
  }
}
