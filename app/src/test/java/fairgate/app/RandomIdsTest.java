package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ProductId;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class RandomIdsTest {
  private static final Instant NOW = Instant.parse("2026-11-11T12:00:00Z");
  private static final ProductId PRODUCT = new ProductId("7");

  @Test
  void laterOrdersSortAfterEarlierOnes() {
    String earlier = at(NOW).order(PRODUCT).value();
    String later = at(NOW.plusMillis(1)).order(PRODUCT).value();
    assertThat(earlier).isLessThan(later).matches("order_7_[0-9a-hjkmnp-tv-z]{26}");
  }

  @Test
  void idsAreUnique() {
    RandomIds ids = at(NOW);
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      assertThat(seen.add(ids.order(PRODUCT).value())).isTrue();
      assertThat(seen.add(ids.session().value())).isTrue();
      assertThat(seen.add(ids.device().value())).isTrue();
      assertThat(seen.add(ids.nonce())).isTrue();
    }
  }

  @Test
  void theWholeTailIsRandom() {
    RandomIds ids = at(NOW);
    List<Set<Character>> seen =
        Stream.generate(() -> (Set<Character>) new HashSet<Character>()).limit(16).toList();
    for (int i = 0; i < 2_000; i++) {
      String order = ids.order(PRODUCT).value();
      String chance = order.substring(order.length() - 16);
      for (int k = 0; k < 16; k++) {
        seen.get(k).add(chance.charAt(k));
      }
    }
    // One of 32 characters is left out of 2,000 draws once in 10^27.
    assertThat(seen).allSatisfy(characters -> assertThat(characters).hasSize(32));
  }

  private static RandomIds at(Instant time) {
    return new RandomIds(Clock.fixed(time, ZoneOffset.UTC));
  }
}
