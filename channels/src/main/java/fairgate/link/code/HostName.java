package fairgate.link.code;

import java.net.IDN;
import java.text.Normalizer;
import java.util.Locale;
import java.util.Optional;

/// International host names in ASCII.
final class HostName {
  private HostName() {}

  /// The name in lower case and in punycode (RFC 3490); without a trailing dot.
  ///
  /// Empty if it is no name, or one that browsers (UTS 46) may convert to another: `faß.de` is
  /// `fass.de` by RFC 3490 and another domain by UTS 46. Its `xn--` form is accepted.
  static Optional<String> ascii(String given) {
    String ascii;
    try {
      ascii = IDN.toASCII(given, IDN.USE_STD3_ASCII_RULES).toLowerCase(Locale.ROOT);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return Optional.empty();
    }
    boolean international = given.chars().anyMatch(c -> c > 0x7f);
    if (international && !IDN.toUnicode(ascii).equals(lower(given))) {
      return Optional.empty();
    }
    return Optional.of(ascii.endsWith(".") ? ascii.substring(0, ascii.length() - 1) : ascii);
  }

  private static String lower(String name) {
    return Normalizer.normalize(name, Normalizer.Form.NFKC)
        .toLowerCase(Locale.ROOT)
        .replace('\u3002', '.');
  }
}
