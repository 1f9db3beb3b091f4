package fairgate.gate.challenge;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RecentMapTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final GateFixture.SteppedClock clock = new GateFixture.SteppedClock();
  private final RecentMap<AtomicInteger> map =
      new RecentMap<>(clock, MINUTE, 3, AtomicInteger::new);

  private void add(String key, int times) {
    map.touch(key, count -> count.addAndGet(times));
  }

  private int recent(String key) {
    return map.recent(key, AtomicInteger::get);
  }

  @Test
  void theEstimateIsTheCurrentPeriodAndTheRecentPartOfThePreviousOne() {
    add("a", 60);
    assertThat(recent("a")).isEqualTo(60);
    assertThat(recent("b")).isZero();
    clock.advance(MINUTE.plusSeconds(15));
    add("a", 1);
    assertThat(recent("a")).isEqualTo(46);
    assertThat(map.max("a", AtomicInteger::get)).isEqualTo(60);
    clock.advance(MINUTE.multipliedBy(2));
    assertThat(recent("a")).isZero();
    assertThat(map.latest("a")).isNull();
  }

  @Test
  void aFullPeriodTakesNoNewKeysAndStillCountsTheOldOnes() {
    for (String key : new String[] {"a", "b", "c", "d"}) {
      add(key, 1);
    }
    add("a", 1);
    assertThat(recent("a")).isEqualTo(2);
    assertThat(recent("d")).isZero();
    assertThat(map.now()).hasSize(3);
  }
}
