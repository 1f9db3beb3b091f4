package fairgate.platform.run;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.run.LocalBudgets.Budget;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class LocalBudgetsTest {
  private static final Budget TWO = new Budget("code_ip", 2, Duration.ofSeconds(60));

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final LocalBudgets budgets = new LocalBudgets(nanos::get);

  @Test
  void atMostSoManyInAnyWindow() {
    assertThat(budgets.spend(TWO, "a")).isZero();
    nanos.addAndGet(Duration.ofSeconds(40).toNanos());
    assertThat(budgets.spend(TWO, "a")).isZero();
    assertThat(budgets.spend(TWO, "a")).isEqualTo(Duration.ofSeconds(20));
    nanos.addAndGet(Duration.ofSeconds(20).toNanos());
    assertThat(budgets.spend(TWO, "a")).isZero();
    assertThat(budgets.spend(TWO, "a")).isEqualTo(Duration.ofSeconds(40));
  }

  @Test
  void everybodyHasTheirOwn() {
    assertThat(budgets.spend(TWO, "a")).isZero();
    assertThat(budgets.spend(TWO, "a")).isZero();
    assertThat(budgets.spend(TWO, "b")).isZero();
    assertThat(budgets.spend(TWO, "a")).isPositive();
  }

  @Test
  void lookingCountsNothing() {
    assertThat(budgets.isUnused(TWO, "a")).isTrue();
    for (int i = 0; i < 5; i++) {
      assertThat(budgets.waitFor(TWO, "a")).isZero();
    }
    assertThat(budgets.isUnused(TWO, "a")).isTrue();
    assertThat(budgets.spend(TWO, "a")).isZero();
    assertThat(budgets.isUnused(TWO, "a")).isFalse();
    assertThat(budgets.spend(TWO, "a")).isZero();
    assertThat(budgets.waitFor(TWO, "a")).isEqualTo(TWO.window());
    nanos.addAndGet(TWO.window().toNanos());
    assertThat(budgets.isUnused(TWO, "a")).isTrue();
  }

  @Test
  void budgetsWithDifferentNamesAreCountedApart() {
    Budget other = new Budget("login_ip", 1, Duration.ofSeconds(60));
    assertThat(budgets.spend(TWO, "a")).isZero();
    assertThat(budgets.spend(other, "a")).isZero();
    assertThat(budgets.spend(other, "a")).isPositive();
    assertThat(budgets.spend(TWO, "a")).isZero();
  }

  @Test
  void manySubjectsLockOutNobodyElse() {
    for (int i = 0; i < 150_000; i++) {
      assertThat(budgets.spend(TWO, Integer.toString(i))).isZero();
    }
    assertThat(budgets.spend(TWO, "late")).isZero();
  }
}
