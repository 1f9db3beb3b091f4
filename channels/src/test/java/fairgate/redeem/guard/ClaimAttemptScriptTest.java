package fairgate.redeem.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.platform.redis.RedisFailure;
import fairgate.redeem.guard.RedisClaimBudget.ClaimAttemptScript.BudgetReply;
import fairgate.redeem.guard.RedisClaimBudget.ClaimAttemptScript.Rule;
import fairgate.redeem.guard.RedisClaimBudget.ClaimMissScript;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ClaimAttemptScriptTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final ClaimMissScript.Rule MISSES =
      new ClaimMissScript.Rule(2, HOUR, 4, Duration.ofDays(1), Duration.ofMinutes(30));

  private final Scripts scripts = new Scripts();

  private static Rule attempts(int allowed) {
    return new Rule(allowed, MINUTE, ClaimMissScript.Rule.NONE);
  }

  private static String unique() {
    return UUID.randomUUID().toString();
  }

  @Test
  void asManyAsAllowedAndNoMore() {
    for (int i = 0; i < 3; i++) {
      assertThat(scripts.attempt(attempts(3)).word()).isEqualTo("OK");
    }
    BudgetReply refused = scripts.attempt(attempts(3));
    assertThat(refused.word()).isEqualTo("LIMITED");
    assertThat(refused.retryAfter()).isBetween(MINUTE.minusSeconds(10), MINUTE);
    assertThat(Scripts.redis("ZCARD", scripts.keys().attempts()).number()).isEqualTo(3);
    assertThat(Scripts.ttl(scripts.keys().attempts())).isBetween(1L, MINUTE.toMillis());
  }

  @Test
  void theWindowSlides() {
    assertThat(scripts.attempt(attempts(2)).word()).isEqualTo("OK");
    Scripts.age(scripts.keys().attempts(), Duration.ofSeconds(40));
    assertThat(scripts.attempt(attempts(2)).word()).isEqualTo("OK");
    BudgetReply refused = scripts.attempt(attempts(2));
    assertThat(refused.word()).isEqualTo("LIMITED");
    assertThat(refused.retryAfter()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(20));
    Scripts.age(scripts.keys().attempts(), Duration.ofSeconds(20));
    assertThat(scripts.attempt(attempts(2)).word()).isEqualTo("OK");
    assertThat(scripts.attempt(attempts(2)).word()).isEqualTo("LIMITED");
  }

  @Test
  void zeroIsAnyNumber() {
    for (int i = 0; i < 50; i++) {
      assertThat(scripts.attempt(attempts(0)).word()).isEqualTo("OK");
    }
    assertThat(Scripts.redis("EXISTS", scripts.keys().attempts()).number()).isZero();
  }

  @Test
  void missesHaveATighterBudgetAndGoOnCounting() {
    Rule rule = new Rule(100, MINUTE, MISSES);
    assertThat(scripts.miss(MISSES).word()).isEqualTo("NOTED");
    assertThat(scripts.attempt(rule).word()).isEqualTo("OK_AFTER_MISSES");
    assertThat(scripts.miss(MISSES).word()).isEqualTo("NOTED");
    BudgetReply refused = scripts.attempt(rule);
    assertThat(refused.word()).isEqualTo("MISSED");
    assertThat(refused.retryAfter()).isBetween(HOUR.minusSeconds(10), HOUR);
    BudgetReply banned = scripts.attempt(rule);
    assertThat(banned.word()).isEqualTo("NEWLY_BANNED");
    assertThat(banned.retryAfter()).isEqualTo(Duration.ofMinutes(30));
    assertThat(scripts.attempt(rule).word()).isEqualTo("BANNED");
    assertThat(Scripts.ttl(scripts.keys().ban())).isBetween(1L, 1_800_000L);
    assertThat(Scripts.redis("EXISTS", scripts.keys().misses()).number()).isZero();
  }

  @Test
  void waitingAsToldIsEnoughAfterMisses() {
    Rule rule = new Rule(100, MINUTE, MISSES);
    assertThat(scripts.miss(MISSES).word()).isEqualTo("NOTED");
    assertThat(scripts.miss(MISSES).word()).isEqualTo("NOTED");
    assertThat(scripts.attempt(rule).word()).isEqualTo("MISSED");
    Scripts.age(scripts.keys().misses(), HOUR);
    assertThat(scripts.attempt(rule).word()).isEqualTo("OK_AFTER_MISSES");
    assertThat(Scripts.ttl(scripts.keys().misses())).isBetween(1L, Duration.ofDays(1).toMillis());
  }

  @Test
  void whoIsExcusedGoesPastMissesAndBanButUsesUpAttempts() {
    Rule rule = new Rule(1, MINUTE, MISSES);
    assertThat(Scripts.redis("SET", scripts.keys().ban(), "1", "PX", "60000").text())
        .isEqualTo("OK");
    assertThat(scripts.attempt(rule).word()).isEqualTo("BANNED");
    assertThat(scripts.excused(rule).word()).isEqualTo("OK");
    assertThat(scripts.excused(rule).word()).isEqualTo("LIMITED");
  }

  @Test
  void aBanEndsByItself() {
    Rule rule = new Rule(100, MINUTE, MISSES);
    assertThat(Scripts.redis("SET", scripts.keys().ban(), "1", "PX", "60000").text())
        .isEqualTo("OK");
    assertThat(scripts.attempt(rule).word()).isEqualTo("BANNED");
    assertThat(Scripts.redis("PEXPIRE", scripts.keys().ban(), "0").number()).isEqualTo(1);
    assertThat(scripts.attempt(rule).word()).isEqualTo("OK");
  }

  @Test
  void oneSpoiltSubjectHarmsNoOther() {
    Scripts other = new Scripts();
    assertThat(Scripts.redis("SET", scripts.keys().attempts(), "no set").text()).isEqualTo("OK");
    var spoilt =
        java.util.concurrent.CompletableFuture.supplyAsync(() -> scripts.attempt(attempts(1)));
    assertThat(other.attempt(attempts(1)).word()).isEqualTo("OK");
    assertThat(spoilt).failsWithin(MINUTE);
  }

  @Test
  void anAttemptThatOneBudgetCannotCountIsGivenBackToTheOthers() {
    ClaimBudget.Attempt attempt =
        new ClaimBudget.Attempt("10.9.8.7", unique(), "phone", unique(), true);
    String device = ClaimKeys.ofDevice(attempt.device()).attempts();
    String order = ClaimKeys.ofOrder(attempt.order()).attempts();
    assertThat(Scripts.redis("SET", device, "no set").text()).isEqualTo("OK");
    assertThatThrownBy(() -> Scripts.budget().take(attempt)).isInstanceOf(RedisFailure.class);
    assertThat(Scripts.redis("ZCARD", order).number()).isZero();
    assertThat(Scripts.redis("DEL", device).number()).isEqualTo(1);
    assertThat(Scripts.budget().take(attempt)).isInstanceOf(ClaimBudget.Permit.Granted.class);
    assertThat(Scripts.redis("ZCARD", order).number()).isEqualTo(1);
  }

  @Test
  void neighboursOfOneHouseholdShareABudgetAndStrangersDoNot() {
    assertThat(ClaimKeys.ofAddress("2001:db8:0:1::5"))
        .isEqualTo(ClaimKeys.ofAddress("2001:DB8:0:ff:ffff:0:0:9"))
        .isNotEqualTo(ClaimKeys.ofAddress("2001:db8:0:100::5"));
    assertThat(ClaimKeys.ofAddress("::ffff:10.0.0.1")).isEqualTo(ClaimKeys.ofAddress("10.0.0.1"));
    assertThat(ClaimKeys.ofAddress("10.0.0.1")).isNotEqualTo(ClaimKeys.ofAddress("10.0.0.2"));
  }
}
