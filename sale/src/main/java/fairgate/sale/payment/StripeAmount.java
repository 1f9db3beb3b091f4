package fairgate.sale.payment;

import fairgate.kernel.Iso4217;
import fairgate.kernel.Money;
import fairgate.sale.AmountProblem;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// Amounts in Stripe's smallest units, whose number of decimals differs from ISO 4217 for a few
/// currencies (docs.stripe.com/currencies).
final class StripeAmount {
  private static final Set<String> ZERO_DECIMAL =
      Set.of(
          "BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF",
          "XOF", "XPF");
  private static final Set<String> THREE_DECIMAL = Set.of("BHD", "JOD", "KWD", "OMR", "TND");

  /// The least amounts that Stripe charges, in its units. Amounts in other currencies have to reach
  /// the least amount of the account's own currency, which is not known here.
  private static final Map<String, Integer> LEAST =
      Map.ofEntries(
          Map.entry("AED", 200),
          Map.entry("AUD", 50),
          Map.entry("BRL", 50),
          Map.entry("CAD", 50),
          Map.entry("CHF", 50),
          Map.entry("CZK", 1500),
          Map.entry("DKK", 250),
          Map.entry("EUR", 50),
          Map.entry("GBP", 30),
          Map.entry("HKD", 400),
          Map.entry("HUF", 17_500),
          Map.entry("INR", 50),
          Map.entry("JPY", 50),
          Map.entry("MXN", 1000),
          Map.entry("MYR", 200),
          Map.entry("NOK", 300),
          Map.entry("NZD", 50),
          Map.entry("PLN", 200),
          Map.entry("RON", 200),
          Map.entry("SEK", 300),
          Map.entry("SGD", 50),
          Map.entry("THB", 1000),
          Map.entry("USD", 50));

  private static final long MOST = 99_999_999;
  private static final int LAST_DIGIT = 10;

  private StripeAmount() {}

  /// The reason why Stripe never takes the amount; empty when it may.
  static Optional<AmountProblem> problem(Money amount) {
    String currency = amount.currency();
    OptionalLong units = of(amount);
    if (units.isEmpty()) {
      return Optional.of(new AmountProblem(AmountProblem.Kind.WHOLE, currency));
    }
    if (THREE_DECIMAL.contains(currency) && units.getAsLong() % LAST_DIGIT != 0) {
      return Optional.of(new AmountProblem(AmountProblem.Kind.TWO_DECIMALS, currency));
    }
    int least = LEAST.getOrDefault(currency, 1);
    if (units.getAsLong() < least) {
      return Optional.of(new AmountProblem(AmountProblem.Kind.LEAST, text(least, currency)));
    }
    return units.getAsLong() > MOST
        ? Optional.of(new AmountProblem(AmountProblem.Kind.MOST, text(MOST, currency)))
        : Optional.empty();
  }

  private static String text(long units, String currency) {
    Money amount = parse(units, currency);
    return BigDecimal.valueOf(amount.minorUnits(), amount.exponent()).toPlainString()
        + ' '
        + currency;
  }

  /// The amount in Stripe's units; empty when Stripe cannot express it.
  static OptionalLong of(Money amount) {
    int shift = decimals(amount.currency()) - amount.exponent();
    long factor = factor(shift);
    if (shift >= 0) {
      return OptionalLong.of(Math.multiplyExact(amount.minorUnits(), factor));
    }
    return amount.minorUnits() % factor == 0
        ? OptionalLong.of(amount.minorUnits() / factor)
        : OptionalLong.empty();
  }

  /// The amount of a Stripe object.
  ///
  /// @param currency in lower case, as Stripe writes it
  static Money parse(long units, String currency) {
    String code = currency.toUpperCase(Locale.ROOT);
    int shift = decimals(code) - Iso4217.exponent(code);
    return new Money(
        shift >= 0 ? units / factor(shift) : Math.multiplyExact(units, factor(shift)), code);
  }

  private static int decimals(String currency) {
    if (ZERO_DECIMAL.contains(currency)) {
      return 0;
    }
    return THREE_DECIMAL.contains(currency) ? 3 : 2;
  }

  private static long factor(int shift) {
    return (long) Math.pow(10, Math.abs(shift));
  }
}
