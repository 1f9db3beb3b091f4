package fairgate.redeem.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.redeem.transfer.FileSummary.NumberDamage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// Damaged order numbers are told from true ones that look alike.
class NumberDamageTest {
  private final NumberDamage damage = new NumberDamage();

  private String problem(String number) {
    return damage.problem(number, false).map(RowProblem::key).orElse("");
  }

  @Test
  void exponentsAndDecimalsAreNoOrderNumbers() {
    assertThat(problem("3.21106E+18")).isEqualTo("excel_exponent");
    assertThat(problem("3,21106e+18")).isEqualTo("excel_exponent");
    assertThat(problem("3E18")).isEqualTo("excel_exponent");
    assertThat(problem("3211058044792473088.00")).isEqualTo("excel_decimal");
    assertThat(problem("TB20260108123456789")).isEmpty();
  }

  @Test
  void zerosAtTheEndOfAFewNumbersAreDamage() {
    damage.count("3211058044792470000");
    damage.count("321105804479247000");
    damage.count("3211058044792473088");
    assertThat(problem("3211058044792470000")).isEqualTo("excel_zeros");
    assertThat(problem("321105804479247000")).isEqualTo("excel_zeros");
    assertThat(problem("3211058044792473088")).isEmpty();
    assertThat(damage.problem("3211058044792470000", true)).isEmpty();
  }

  @Test
  void asManyZerosAsChanceMakesAreTrue() {
    LongStream.range(0, 20_000)
        .forEach(i -> damage.count(Long.toString(3_211_058_044_792_400_000L + i * 7)));
    assertThat(problem("3211058044792407000")).isEmpty();
  }

  @Test
  void shortNumbersAndOthersAreLeftAlone() {
    damage.count("100000000000000");
    damage.count("P100000000000000000");
    assertThat(problem("100000000000000")).isEmpty();
    assertThat(problem("P100000000000000000")).isEmpty();
  }
}
