package fairgate.app.config;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.feature.Secret;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class MasterSecretTest {
  private static final Clock CLOCK =
      Clock.fixed(Instant.parse("2026-12-01T12:00:00Z"), ZoneOffset.UTC);

  private final SecureRandom random = new SecureRandom();

  /// Of two keys with one id, only one would count.
  @Test
  void twoKeysWithOneIdAreRefused() {
    String first = MasterSecret.make(CLOCK, random);
    String second = MasterSecret.make(CLOCK, random);

    assertThat(MasterSecret.problem(new Secret(second + "," + first)))
        .contains(
            "two keys are named k20261201120000; give the new one another name, say"
                + " k20261201120000b");
    assertThat(MasterSecret.problem(new Secret(first + "," + first))).isPresent();
  }

  @Test
  void twoKeysOfOneDayHaveDifferentIdsInOrder() {
    Clock later = Clock.offset(CLOCK, Duration.ofSeconds(1));
    String both = MasterSecret.make(later, random) + "," + MasterSecret.make(CLOCK, random);

    assertThat(MasterSecret.problem(new Secret(both))).isEmpty();
    assertThat(MasterSecret.ring(new Secret(both)).ids())
        .containsExactly("k20261201120001", "k20261201120000");
  }

  @Test
  void twoRotationsInASecondCreateDifferentIds() {
    String text = MasterSecret.make(CLOCK, random);
    for (int i = 0; i < 3; i++) {
      text = MasterSecret.rotate(new Secret(text), CLOCK, random);
      assertThat(MasterSecret.problem(new Secret(text))).isEmpty();
    }
    assertThat(MasterSecret.ring(new Secret(text)).ids()).hasSize(4);
    assertThat(MasterSecret.ring(new Secret(text)).current()).isEqualTo("k20261201120000d");
  }
}
