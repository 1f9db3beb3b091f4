package fairgate.platform.text;

import java.math.BigDecimal;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.text.NumberFormat;
import java.util.Currency;

/// An amount of money as people read it, the same on pages and in chats: NT$9,999.
public final class PriceText {
  private static final String TAIWAN_DOLLAR = "TWD";

  private PriceText() {}

  /// The amount in a language, without decimals when it is whole.
  ///
  /// @param minorUnits the amount in minor units, for example cents
  /// @param currencyCode ISO 4217
  public static String of(Language language, long minorUnits, String currencyCode) {
    Currency currency = Currency.getInstance(currencyCode);
    NumberFormat format = NumberFormat.getCurrencyInstance(language.locale());
    int digits = Math.max(0, currency.getDefaultFractionDigits());
    BigDecimal amount = BigDecimal.valueOf(minorUnits, digits);
    format.setCurrency(currency);
    format.setMaximumFractionDigits(digits);
    format.setMinimumFractionDigits(amount.stripTrailingZeros().scale() <= 0 ? 0 : digits);
    if (currencyCode.equals(TAIWAN_DOLLAR) && format instanceof DecimalFormat decimal) {
      // Taiwan's locale would show a plain dollar sign.
      DecimalFormatSymbols symbols = decimal.getDecimalFormatSymbols();
      symbols.setCurrencySymbol("NT$");
      decimal.setDecimalFormatSymbols(symbols);
    }
    return format.format(amount);
  }
}
