package fairgate.gate.challenge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class DistinctCountTest {
  @Test
  void distinctTextsAreCountedWithinATenth() {
    DistinctCount count = new DistinctCount();
    for (int i = 0; i < 300; i++) {
      count.add("device-" + i * 7_919L);
      count.add("device-" + i * 7_919L);
    }
    assertThat(count.count()).isCloseTo(300, within(30));
  }

  @Test
  void fewTextsAreCountedExactly() {
    DistinctCount count = new DistinctCount();
    assertThat(count.count()).isZero();
    count.add("a");
    count.add("a");
    assertThat(count.count()).isEqualTo(1);
    count.add("b");
    assertThat(count.count()).isEqualTo(2);
  }
}
