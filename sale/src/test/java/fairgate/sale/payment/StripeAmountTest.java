package fairgate.sale.payment;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.Money;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StripeAmountTest {
  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      value = {
        "50, USD, none",
        "49, USD, LEAST 0.50 USD",
        "17499, HUF, LEAST 175.00 HUF",
        "49, JPY, LEAST 50 JPY",
        "1, TWD, none",
        "15000000, IDR, none",
        "1230, KWD, none",
        "1234, KWD, TWO_DECIMALS KWD",
        "1234, MGA, WHOLE MGA",
        "99999999, TWD, none",
        "100000000, TWD, MOST 999999.99 TWD"
      })
  void anAmountThatStripeNeverTakesIsKnownBefore(long minorUnits, String currency, String why) {
    String found =
        StripeAmount.problem(new Money(minorUnits, currency))
            .map(problem -> problem.kind() + " " + problem.bound())
            .orElse(null);
    assertThat(found).isEqualTo(why);
  }
}
