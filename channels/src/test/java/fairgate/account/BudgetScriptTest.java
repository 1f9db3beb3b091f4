package fairgate.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.SaleWorld;
import fairgate.account.RedisBudgets.BudgetScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisFailure;
import fairgate.platform.run.LocalBudgets.Budget;
import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class BudgetScriptTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final RedisClient redis = SaleWorld.connect();
  private final BudgetScript script = new BudgetScript(redis, new AccountWorld.RandomIds());
  private final String who = UUID.randomUUID().toString();
  private final String key = "rl:code_ip:" + who;

  private Duration spend(Budget budget) {
    return script.run(budget, who).await();
  }

  @Test
  void ofFifteenQuickCallsTenPassAndFiveAreToldWhenToComeBack() {
    Budget ten = new Budget("code_ip", 10, HOUR);
    List<Future<Duration>> calls =
        IntStream.range(0, 15).mapToObj(_ -> script.run(ten, who)).toList();
    List<Duration> waits = calls.stream().map(call -> call.await()).toList();
    assertThat(waits.subList(0, 10)).containsOnly(Duration.ZERO);
    assertThat(waits.subList(10, 15))
        .allSatisfy(rest -> assertThat(rest).isBetween(HOUR.minusMinutes(5), HOUR));
  }

  @Test
  void aRefusedCallUsesNothingUp() {
    Budget one = new Budget("code_ip", 1, HOUR);
    assertThat(spend(one)).isZero();
    assertThat(spend(one)).isPositive();
    assertThat(spend(one)).isPositive();
    assertThat(redis.send("ZCARD", key).await().number()).isEqualTo(1);
  }

  @Test
  void theBudgetComesBackWhenTheWindowHasPassed() {
    Budget brief = new Budget("code_ip", 1, Duration.ofMillis(30));
    assertThat(spend(brief)).isZero();
    Eventually.await(() -> spend(brief).isZero());
  }

  @Test
  void theKeyEndsWithItsWindow() {
    assertThat(spend(new Budget("code_ip", 3, HOUR))).isZero();
    assertThat(redis.send("PTTL", key).await().number()).isBetween(3_300_000L, 3_600_000L);
  }

  @Test
  void whatIsNoBudgetIsLeftAlone() {
    assertThat(redis.send("SET", key, "something").await().text()).isEqualTo("OK");
    assertThatThrownBy(() -> spend(new Budget("code_ip", 3, HOUR)))
        .isInstanceOf(RedisFailure.class);
    assertThat(redis.send("GET", key).await().text()).isEqualTo("something");
  }
}
