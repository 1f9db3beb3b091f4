package fairgate.account.identity;

import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// An identity number: 4 to 32 digits and upper-case letters, without separators.
record IdNumber(String value) {
  private static final String PURPOSE = "identity-number";
  private static final Pattern FORM = Pattern.compile("[0-9A-Z]{4,32}");

  /// Parses a number in any case, with spaces and hyphens. Empty if it is none.
  static Optional<IdNumber> of(String text) {
    String number = text.replaceAll("[ -]", "").toUpperCase(Locale.ROOT);
    return FORM.matcher(number).matches() ? Optional.of(new IdNumber(number)) : Optional.empty();
  }

  /// The keyed hash of the number within one sale.
  String hash(KeyRing keys, ProductId event) {
    return keys.fingerprint(PURPOSE, event.value() + '|' + value);
  }

  @Override
  public String toString() {
    return "[identity number]";
  }
}
