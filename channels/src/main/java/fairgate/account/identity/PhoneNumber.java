package fairgate.account.identity;

import java.util.Optional;
import java.util.regex.Pattern;

/// A telephone number in E.164, with its country: `+886912345678`.
record PhoneNumber(String value) {
  private static final Pattern FORM = Pattern.compile("\\+[1-9]\\d{7,14}");
  private static final Pattern BETWEEN = Pattern.compile("[ ().-]");
  private static final int MAX_LENGTH = 40;
  private static final int SHOWN = 3;

  /// Reads a number as people write it; empty when it is none or lacks its country.
  static Optional<PhoneNumber> of(String text) {
    if (text.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    String bare = BETWEEN.matcher(text).replaceAll("");
    String number = bare.startsWith("00") ? "+" + bare.substring(2) : bare;
    return FORM.matcher(number).matches() ? Optional.of(new PhoneNumber(number)) : Optional.empty();
  }

  /// Its last digits, by which its owner knows it.
  String hint() {
    return value.substring(value.length() - SHOWN);
  }

  @Override
  public String toString() {
    return "[phone]";
  }
}
