package fairgate.account;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.account.Budgets.Budget;
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
  void aFullMemoryGrantsNobodyNewAnythingUntilWindowsPass() {
    for (int i = 0; i < 100_000; i++) {
      assertThat(budgets.spend(TWO, Integer.toString(i))).isZero();
    }
    assertThat(budgets.spend(TWO, "late")).isEqualTo(TWO.window());
    nanos.addAndGet(TWO.window().toNanos());
    assertThat(budgets.spend(TWO, "late")).isZero();
  }
}
