package fairgate.prove.environment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClusterSlotsTest {
  /// The value of the specification's own check, and two that `CLUSTER KEYSLOT` gives.
  @Test
  void slotsAreThoseOfRedis() {
    assertThat(ClusterSlots.of("123456789")).isEqualTo(0x31C3);
    assertThat(ClusterSlots.of("foo")).isEqualTo(12_182);
    assertThat(ClusterSlots.of("bar")).isEqualTo(5_061);
  }
}
