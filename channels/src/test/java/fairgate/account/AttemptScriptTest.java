package fairgate.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.SaleWorld;
import fairgate.account.LoginDelays.AttemptScript;
import fairgate.account.LoginDelays.AttemptScript.Attempt;
import fairgate.account.LoginDelays.AttemptScript.Delays;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisFailure;
import fairgate.platform.run.LocalBudgets.Budget;
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
  private static final Budget STRANGERS = new Budget("login_name", 100, Duration.ofHours(1));

  private final Attempt attempt = new Attempt(UUID.randomUUID().toString(), "192.0.2.1", "");
  private final String key = AccountKeys.attempts(attempt.name(), "net:192.0.2.1");

  private Duration attempt() {
    return script.run(attempt, DELAYS, STRANGERS).await();
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
    assertThat(attempt()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(10));
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
  void theCountEndsByItself() {
    assertThat(attempt()).isZero();
    assertThat(redis.send("PTTL", key).await().number()).isBetween(3_500_000L, 3_600_000L);
  }

  @Test
  void aNetworkWithoutFailuresGetsATryHoweverManyOthersTried() {
    Budget few = new Budget("login_name", 3, Duration.ofHours(1));
    for (int i = 1; i <= 8; i++) {
      Attempt other = new Attempt(attempt.name(), "198.51.100." + i, "");
      assertThat(script.run(other, DELAYS, few).await()).isZero();
    }
    assertThat(script.run(attempt, DELAYS, few).await()).isZero();
    assertThat(script.run(attempt, DELAYS, few).await()).as("its second").isPositive();
  }

  @Test
  void whatIsNoCountIsLeftAlone() {
    var _ = redis.send("SET", key, "something").await();
    assertThatThrownBy(this::attempt).isInstanceOf(RedisFailure.class);
    assertThat(redis.send("GET", key).await().text()).isEqualTo("something");
  }
}
