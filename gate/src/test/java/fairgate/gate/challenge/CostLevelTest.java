package fairgate.gate.challenge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.gate.challenge.AltchaConfig.CostLevel;
import org.junit.jupiter.api.Test;

final class CostLevelTest {
  @Test
  void noneAndEmptyTextHaveNoLevels() {
    assertThat(CostLevel.list("none")).isEmpty();
    assertThat(CostLevel.list(" ")).isEmpty();
  }

  @Test
  void pairsAreParsedAsLevels() {
    assertThat(CostLevel.list("200:2, 1000:4"))
        .containsExactly(new CostLevel(200, 2), new CostLevel(1000, 4));
  }

  @Test
  void otherTextsAreRefusedWithTheFormat() {
    for (String text : new String[] {"never", "200", "200:0", "200:2,", "-1:2", "200:2:3"}) {
      assertThatThrownBy(() -> CostLevel.list(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("pairs like 200:2");
    }
  }
}
