package fairgate.platform.text;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.Iso4217;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PriceTextTest {
  @ParameterizedTest
  @CsvSource({
    "15000000, IDR, '150,000'",
    "15000050, IDR, '150,000.50'",
    "100, HUF, 1",
    "100, COP, 1",
    "100, LAK, 1",
    "9900, TWD, 99",
    "9950, TWD, 99.50",
    "100, KRW, 100",
    "100, JPY, 100",
    "1500, KWD, 1.500"
  })
  void theDecimalsAreThoseOfIso4217(long minorUnits, String currency, String number) {
    assertThat(PriceText.of(Language.EN, minorUnits, currency)).endsWith(number);
  }

  @Test
  void aCodeThatIsNoCurrencyIsShownAsItIs() {
    for (String code : new String[] {"NTD", "XXX", "XAU"}) {
      assertThat(Iso4217.isCurrency(code)).as(code).isFalse();
      assertThat(PriceText.of(Language.EN, 150_000, code)).isEqualTo(code + " 1,500");
    }
    assertThat(Iso4217.exponents())
        .containsEntry("TWD", 2)
        .containsEntry("IDR", 2)
        .containsEntry("KRW", 0)
        .containsEntry("KWD", 3)
        .doesNotContainKeys("NTD", "XXX");
  }

  @Test
  void aFormerCurrencyIsShownAndNoLongerAccepted() {
    for (String code : List.of("TWD", "JPY", "CNY", "HKD", "USD", "EUR", "KRW", "BTN", "PAB")) {
      assertThat(Iso4217.isInUse(code)).as(code).isTrue();
    }
    for (String code : List.of("DEM", "ITL", "HRK", "NTD", "XAU", "CLF")) {
      assertThat(Iso4217.isInUse(code)).as(code).isFalse();
    }
    assertThat(Iso4217.exponent("ITL")).isZero();
    assertThat(PriceText.of(Language.EN, 150_000, "DEM")).endsWith("1,500");
  }
}
