package fairgate.prove.environment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SlotsTest {
  /// The value of the specification's own check, and two that `CLUSTER KEYSLOT` gives.
  @Test
  void slotsAreThoseOfRedis() {
    assertThat(Slots.of("123456789")).isEqualTo(0x31C3);
    assertThat(Slots.of("foo")).isEqualTo(12_182);
    assertThat(Slots.of("bar")).isEqualTo(5_061);
  }
}
