package fairgate.account;

import java.text.Normalizer;
import java.util.Locale;
import java.util.Optional;

/// A user name: 3 to 32 letters and digits of any writing, with `.`, `_` and `-` between them.
///
/// @param shown as its owner wrote it, in NFKC
/// @param key as names are compared: lower case besides, so that `Ming` and `ming` are one
public record Username(String shown, String key) {
  static final int SHORTEST = 3;
  static final int MAX_LENGTH = 32;

  /// The form of a name for comparison, also of an invalid name, which is then unknown like any
  /// other.
  static String keyOf(String text) {
    return of(text).map(Username::key).orElseGet(() -> text.toLowerCase(Locale.ROOT));
  }

  /// Empty when the text is no user name.
  public static Optional<Username> of(String text) {
    if (text.length() > 4 * MAX_LENGTH) {
      return Optional.empty();
    }
    String shown = Normalizer.normalize(text, Normalizer.Form.NFKC);
    int length = shown.codePointCount(0, shown.length());
    if (length < SHORTEST
        || length > MAX_LENGTH
        || !shown.codePoints().allMatch(Username::isAllowed)) {
      return Optional.empty();
    }
    if (isBetween(shown.codePointAt(0)) || isBetween(shown.codePointBefore(shown.length()))) {
      return Optional.empty();
    }
    // Lower case can undo the normal form.
    String key = Normalizer.normalize(shown.toLowerCase(Locale.ROOT), Normalizer.Form.NFKC);
    return Optional.of(new Username(shown, key));
  }

  /// Marks belong to the letters of many writings. Nothing here changes the direction of the text
  /// or takes no place.
  private static boolean isAllowed(int point) {
    return Character.isLetterOrDigit(point)
        || Character.getType(point) == Character.NON_SPACING_MARK
        || Character.getType(point) == Character.COMBINING_SPACING_MARK
        || isBetween(point);
  }

  private static boolean isBetween(int point) {
    return point == '.' || point == '_' || point == '-';
  }
}
