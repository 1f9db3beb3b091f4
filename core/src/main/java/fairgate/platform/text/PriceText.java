package fairgate.platform.text;

import fairgate.kernel.Iso4217;
import java.math.BigDecimal;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.text.NumberFormat;
import java.util.Currency;

/// An amount of money as people read it, the same on pages and in chats: NT$9,999.
public final class PriceText {
  private static final String TAIWAN_DOLLAR = "TWD";

  private PriceText() {}

  /// The amount in a language, without decimals when it is whole. A code that is no currency stands
  /// before the number, as it is.
  ///
  /// @param minorUnits the amount in minor units, for example cents
  /// @param currencyCode ISO 4217
  public static String of(Language language, long minorUnits, String currencyCode) {
    boolean isCurrency = Iso4217.isCurrency(currencyCode);
    NumberFormat format =
        isCurrency
            ? NumberFormat.getCurrencyInstance(language.locale())
            : NumberFormat.getInstance(language.locale());
    int digits = Iso4217.exponent(currencyCode);
    BigDecimal amount = BigDecimal.valueOf(minorUnits, digits);
    if (isCurrency) {
      format.setCurrency(Currency.getInstance(currencyCode));
    }
    format.setMaximumFractionDigits(digits);
    format.setMinimumFractionDigits(amount.stripTrailingZeros().scale() <= 0 ? 0 : digits);
    if (currencyCode.equals(TAIWAN_DOLLAR) && format instanceof DecimalFormat decimal) {
      // Taiwan's locale would show a plain dollar sign.
      DecimalFormatSymbols symbols = decimal.getDecimalFormatSymbols();
      symbols.setCurrencySymbol("NT$");
      decimal.setDecimalFormatSymbols(symbols);
    }
    String text = format.format(amount);
    return isCurrency ? text : currencyCode + ' ' + text;
  }
}
