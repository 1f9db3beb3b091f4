package fairgate.kernel;

import java.util.Currency;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The currencies of ISO 4217 and their decimals. Pages, browsers and providers get the exponent of
/// an amount from here: CLDR, which browsers use, has other decimals for many currencies (IDR, HUF,
/// COP).
public final class Iso4217 {
  /// Also that of a code that is no currency, so that an old row with one can still be shown.
  private static final int USUAL_EXPONENT = 2;

  private static final Set<String> IN_USE =
      Locale.getISOCountries(Locale.IsoCountryCode.PART1_ALPHA2).stream()
          .map(country -> Currency.getInstance(Locale.of("", country)))
          // Antarctica has none.
          .filter(Objects::nonNull)
          .map(Currency::getCurrencyCode)
          .collect(Collectors.toUnmodifiableSet());

  private Iso4217() {}

  /// Whether a country pays with this currency today. False for currencies that are no longer in
  /// use (DEM), and for codes of metals, funds, tests and "no currency".
  public static boolean isInUse(String code) {
    return IN_USE.contains(code);
  }

  /// Whether amounts in this currency exist or existed. False for codes of metals, tests and "no
  /// currency", which have no minor unit.
  public static boolean isCurrency(String code) {
    try {
      return Currency.getInstance(code).getDefaultFractionDigits() >= 0;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  /// The number of decimals of the currency, also of a former one: an amount of minor units is
  /// divided by ten to its power. Never throws.
  public static int exponent(String code) {
    return isCurrency(code)
        ? Currency.getInstance(code).getDefaultFractionDigits()
        : USUAL_EXPONENT;
  }

  /// The exponents of all currencies by code, former ones included.
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
