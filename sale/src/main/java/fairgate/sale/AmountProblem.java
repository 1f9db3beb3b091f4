package fairgate.sale;

import java.util.Locale;

/// The reason why a payment provider can never take an amount.
///
/// @param bound what it takes: a currency, several, or an amount with its currency
public record AmountProblem(Kind kind, String bound) {
  /// The fault of the amount.
  public enum Kind {
    /// It is in another currency than the provider's.
    CURRENCY,
    /// It has decimals, and the provider takes whole units of the currency.
    WHOLE,
    /// It has three decimals, and the provider takes two.
    TWO_DECIMALS,
    /// It is less than the provider takes.
    LEAST,
    /// It is more than the provider takes.
    MOST
  }

  /// The rest of a key of a message after `invalid.`, whose placeholder `{1}` is the bound.
  public String messageKey() {
    return "price_" + kind.name().toLowerCase(Locale.ROOT);
  }

  /// For logs and operators.
  @Override
  public String toString() {
    return messageKey() + ' ' + bound;
  }
}
