package fairgate.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LocalBudgetTest {
  private final AtomicLong nanos = new AtomicLong();
  private final LocalBudget budget = new LocalBudget(2, Duration.ofSeconds(60), nanos::get);

  private void pass(int seconds) {
    nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }

  @Test
  void atMostSoManyInAnyWindow() {
    assertThat(budget.spend("a")).isZero();
    pass(50);
    assertThat(budget.spend("a")).isZero();
    assertThat(budget.spend("a")).isEqualTo(Duration.ofSeconds(10));
    assertThat(budget.spend("b")).as("another address").isZero();
    pass(10);
    assertThat(budget.wait("a")).isZero();
    assertThat(budget.wait("a")).as("looking spends nothing").isZero();
    assertThat(budget.spend("a")).isZero();
    assertThat(budget.spend("a")).isEqualTo(Duration.ofSeconds(50));
  }
}
