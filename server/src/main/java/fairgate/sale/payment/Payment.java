package fairgate.sale.payment;

import fairgate.kernel.Money;

/// Money a provider says it has captured.
///
/// @param id the provider's own id: 1 to 128 printable ASCII characters without blanks
public record Payment(String id, Money amount) {
  private static final int LONGEST = 128;

  public Payment {
    if (!isValidId(id)) {
      throw new IllegalArgumentException("a payment id is 1 to 128 printable characters");
    }
  }

  /// Whether the text can be a payment id.
  static boolean isValidId(String text) {
    return !text.isEmpty()
        && text.length() <= LONGEST
        && text.chars().allMatch(c -> c > ' ' && c < 0x7f);
  }
}
