package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class QueueLoopTest {
  private static final long IDLE_MS = 2_000;

  private static long rest(String state, int places, long untilChange) {
    return QueueLoop.restMillis(new ExpireScript.Run(0, 0, false, state, places, untilChange, 0));
  }

  @Test
  void anOpenSaleIsLookedAtByEveryTick() {
    assertThat(rest("open", 0, -1)).isZero();
    assertThat(rest("open", 5, 700)).isZero();
  }

  @Test
  void windowsThatRunAtTheClosingTimeAreLookedAtByEveryTick() {
    assertThat(rest("closed", 1, -1)).isZero();
    assertThat(rest("closed", 0, -1)).isEqualTo(IDLE_MS);
  }

  @Test
  void aScheduledSaleTicksSlowlyAndIsLookedAtAgainWhenItOpens() {
    assertThat(rest("scheduled", 5, -1)).isEqualTo(IDLE_MS);
    assertThat(rest("scheduled", 5, 60_000)).isEqualTo(IDLE_MS);
    assertThat(rest("scheduled", 5, 700)).isEqualTo(700);
  }
}
