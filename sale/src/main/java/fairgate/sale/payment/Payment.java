package fairgate.sale.payment;

import fairgate.kernel.Money;

/// A payment that a provider has captured.
///
/// @param id the provider's own id: 1 to 128 printable ASCII characters without blanks
public record Payment(String id, Money amount) {
  /// Maximum amount: larger JSON numbers lose digits in many languages.
  static final long MOST_MINOR_UNITS = 1L << 53;

  /// The pattern of a currency code.
  static final String CURRENCY = "[A-Z]{3}";

  private static final int LONGEST = 128;

  public Payment {
    if (!isValidId(id)) {
      throw new IllegalArgumentException("a payment id is 1 to 128 printable characters");
    }
  }

  static boolean isValidId(String text) {
    return !text.isEmpty()
        && text.length() <= LONGEST
        && text.chars().allMatch(c -> c > ' ' && c < 0x7f);
  }
}
