package fairgate.link.code;

import java.net.IDN;
import java.text.Normalizer;
import java.util.Locale;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/// International host names in ASCII, as browsers read them (UTS 46, nontransitional).
final class HostName {
  private static final int MAX_LABEL = 63;

  /// Letters that programs put into lower case in different ways.
  private static final Pattern AMBIGUOUS = Pattern.compile("[\\x{130}\\x{1e9e}\\p{IsCherokee}]");

  private HostName() {}

  /// The name in lower case and in punycode, without a trailing dot.
  ///
  /// Empty if it is no name, or one that browsers may convert to another. Its `xn--` form is
  /// accepted.
  static Optional<String> ascii(String given) {
    boolean international = given.chars().anyMatch(c -> c > 0x7f);
    if (international && AMBIGUOUS.matcher(given).find()) {
      return Optional.empty();
    }
    String name = international ? mapped(given) : given.toLowerCase(Locale.ROOT);
    StringJoiner labels = new StringJoiner(".");
    for (String label : name.replaceFirst("\\.$", "").split("\\.", -1)) {
      Optional<String> ascii = label(label);
      if (ascii.isEmpty()) {
        return Optional.empty();
      }
      labels.add(ascii.get());
    }
    return Optional.of(labels.toString());
  }

  private static Optional<String> label(String label) {
    try {
      String ascii = label.chars().allMatch(c -> c <= 0x7f) ? label : toAscii(label);
      return ascii.length() > MAX_LABEL ? Optional.empty() : Optional.of(ascii);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return Optional.empty();
    }
  }

  /// Throws IllegalArgumentException for a label with a character that names may not have, or one
  /// that RFC 3490 and browsers convert to different names.
  private static String toAscii(String label) {
    // RFC 3490 replaces these letters, browsers keep them: faß.de is not fass.de.
    String usual = label.replace('\u00df', 's').replace('\u03c2', '\u03c3');
    String ascii = IDN.toASCII(usual, IDN.ALLOW_UNASSIGNED);
    if (!IDN.toUnicode(ascii, IDN.ALLOW_UNASSIGNED).equals(usual)) {
      throw new IllegalArgumentException("two names");
    }
    return usual.equals(label) ? ascii : "xn--" + Punycode.encode(label);
  }

  /// The mapping of UTS 46: compatibility forms, lower case, dots, and no variation selectors, as
  /// in emoji.
  private static String mapped(String name) {
    StringBuilder out = new StringBuilder();
    Normalizer.normalize(name, Normalizer.Form.NFKC)
        .codePoints()
        .filter(c -> c < 0xfe00 || c > 0xfe0f)
        .map(c -> c == 0x3002 ? '.' : Character.toLowerCase(c))
        .forEach(out::appendCodePoint);
    return Normalizer.normalize(out, Normalizer.Form.NFKC);
  }
}
