package fairgate.redeem.guard;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.redeem.guard.RedisClaimBudget.ClaimAttemptScript.BudgetReply;
import fairgate.redeem.guard.RedisClaimBudget.ClaimMissScript;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClaimMissScriptTest {
  private static final Duration DAY = Duration.ofDays(1);
  private static final ClaimMissScript.Rule RULE =
      new ClaimMissScript.Rule(0, Duration.ofHours(1), 3, DAY, Duration.ofHours(2));

  private final Scripts scripts = new Scripts();

  @Test
  void enoughMissesBar() {
    assertThat(scripts.miss(RULE).word()).isEqualTo("NOTED");
    assertThat(scripts.miss(RULE).word()).isEqualTo("NOTED");
    assertThat(Scripts.ttl(scripts.keys().misses())).isBetween(1L, DAY.toMillis());
    BudgetReply banned = scripts.miss(RULE);
    assertThat(banned.word()).isEqualTo("NEWLY_BANNED");
    assertThat(banned.retryAfter()).isEqualTo(Duration.ofHours(2));
    assertThat(Scripts.ttl(scripts.keys().ban())).isBetween(1L, Duration.ofHours(2).toMillis());
    assertThat(scripts.miss(RULE).word()).isEqualTo("BANNED");
  }

  @Test
  void missesOfLongAgoAreForgotten() {
    assertThat(scripts.miss(RULE).word()).isEqualTo("NOTED");
    assertThat(scripts.miss(RULE).word()).isEqualTo("NOTED");
    Scripts.age(scripts.keys().misses(), DAY);
    assertThat(scripts.miss(RULE).word()).isEqualTo("NOTED");
    assertThat(Scripts.redis("ZCARD", scripts.keys().misses()).number()).isEqualTo(1);
  }

  @Test
  void zeroBarsNobody() {
    for (int i = 0; i < 30; i++) {
      assertThat(scripts.miss(ClaimMissScript.Rule.NONE).word()).isEqualTo("NOTED");
    }
  }
}
