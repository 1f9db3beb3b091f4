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
        "49, USD, Stripe takes at least 0.50 USD",
        "17499, HUF, Stripe takes at least 175.00 HUF",
        "49, JPY, Stripe takes at least 50 JPY",
        "1, TWD, none",
        "15000000, IDR, none",
        "1230, KWD, none",
        "1234, KWD, Stripe takes two decimals of KWD",
        "1234, MGA, Stripe takes whole MGA",
        "99999999, TWD, none",
        "100000000, TWD, Stripe takes at most eight digits"
      })
  void anAmountThatStripeNeverTakesIsKnownBefore(long minorUnits, String currency, String why) {
    assertThat(StripeAmount.problem(new Money(minorUnits, currency)).orElse(null)).isEqualTo(why);
  }
}
