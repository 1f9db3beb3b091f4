package fairgate.sale.payment;

import fairgate.kernel.Iso4217;
import fairgate.kernel.Money;
import java.util.Locale;
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

  private StripeAmount() {}

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
