package fairgate.platform.text;

import java.lang.Character.UnicodeScript;
import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Pattern;

/// Codes as people type, paste and dictate them.
public final class TypedCode {
  /// What keyboards write in place of a dash: minus sign, box drawing line. Dashes themselves are
  /// known to Unicode.
  private static final String LIKE_DASHES = "\u2212\u2500";

  /// The mark for a long vowel, which is on the dash key of Japanese keyboards.
  private static final int LONG_VOWEL = '\u30fc';

  private static final Pattern MARKS =
      Pattern.compile("^[\\p{P}\\p{S}\\p{Z}]+|[\\p{P}\\p{S}\\p{Z}]+$");

  private TypedCode() {}

  /// The code alone: in capital letters, with full-width characters made plain, without blanks,
  /// dashes and invisible characters.
  public static String plain(String typed) {
    String folded = Normalizer.normalize(typed, Normalizer.Form.NFKC).toUpperCase(Locale.ROOT);
    StringBuilder kept = new StringBuilder(folded.length());
    folded
        .codePoints()
        .filter(c -> !isBetween(c) && !(c == LONG_VOWEL && !endsInKana(kept)))
        .forEach(kept::appendCodePoint);
    return kept.toString();
  }

  /// A code that the server made and sent, which has letters and digits only: also without marks
  /// around it, such as `【123456】` or `123456。`.
  public static String oneTime(String typed) {
    return plain(withoutMarks(typed));
  }

  /// The code without quotation marks, full stops and other marks of a sentence around it.
  public static String withoutMarks(String pasted) {
    return MARKS.matcher(pasted).replaceAll("");
  }

  private static boolean isBetween(int c) {
    return Character.isWhitespace(c)
        || Character.isSpaceChar(c)
        || Character.getType(c) == Character.DASH_PUNCTUATION
        || Character.getType(c) == Character.FORMAT
        || LIKE_DASHES.indexOf(c) >= 0;
  }

  private static boolean endsInKana(StringBuilder text) {
    if (text.isEmpty()) {
      return false;
    }
    int last = text.codePointBefore(text.length());
    UnicodeScript script = UnicodeScript.of(last);
    return last == LONG_VOWEL
        || script == UnicodeScript.KATAKANA
        || script == UnicodeScript.HIRAGANA;
  }
}
