package fairgate.kernel;

import java.util.Currency;
import java.util.SortedMap;
import java.util.TreeMap;

/// The currencies of ISO 4217 and their decimals. Pages, browsers and providers get the exponent of
/// an amount from here: CLDR, which browsers use, has other decimals for many currencies (IDR, HUF,
/// COP).
public final class Iso4217 {
  /// Also that of a code that is no currency, so that an old row with one can still be shown.
  private static final int USUAL_EXPONENT = 2;

  private Iso4217() {}

  /// Whether amounts in this currency exist. False for codes of metals, tests and "no currency",
  /// which have no minor unit.
  public static boolean isCurrency(String code) {
    try {
      return Currency.getInstance(code).getDefaultFractionDigits() >= 0;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  /// The number of decimals of the currency: an amount of minor units is divided by ten to its
  /// power. Never throws.
  public static int exponent(String code) {
    return isCurrency(code)
        ? Currency.getInstance(code).getDefaultFractionDigits()
        : USUAL_EXPONENT;
  }

  /// The exponents of all currencies by code.
  public static SortedMap<String, Integer> exponents() {
    SortedMap<String, Integer> all = new TreeMap<>();
    for (Currency each : Currency.getAvailableCurrencies()) {
      if (each.getDefaultFractionDigits() >= 0) {
        all.put(each.getCurrencyCode(), each.getDefaultFractionDigits());
      }
    }
    return all;
  }
}
