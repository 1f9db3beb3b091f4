package fairgate.redeem.transfer;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The text of a cell, both ways: freed from what spreadsheets and exports put around it, and made
/// harmless for the spreadsheet that opens it.
final class CellText {
  private static final Pattern AS_FORMULA = Pattern.compile("=\"([^\"]*)\"");
  private static final Pattern BRACKETS = Pattern.compile("[(（\\[【][^)）\\]】]*[)）\\]】]");

  /// What a spreadsheet takes for the begin of a formula, also in its full-width form, and what
  /// some skip before they look.
  private static final String DANGEROUS = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20|";

  private CellText() {}

  /// The text without byte order marks, invisible characters, blanks around it, an apostrophe in
  /// front and the formula (`="123"`) that keep a spreadsheet from taking it for a number.
  static String clean(String cell) {
    StringBuilder kept = new StringBuilder(cell.length());
    for (int i = 0; i < cell.length(); i++) {
      char c = cell.charAt(i);
      if (c == '\u00a0' || c == '\u3000' || c == '\t') {
        kept.append(' ');
      } else if (Character.getType(c) != Character.FORMAT) {
        kept.append(c);
      }
    }
    String text = kept.toString().strip();
    Matcher formula = AS_FORMULA.matcher(text);
    if (formula.matches()) {
      text = formula.group(1).strip();
    }
    return text.startsWith("'") || text.startsWith("`") ? text.substring(1).strip() : text;
  }

  /// A heading as it is compared: clean, in lower case, without blanks and what stands in brackets.
  static String heading(String cell) {
    String bare = BRACKETS.matcher(clean(cell)).replaceAll("");
    return bare.replaceAll("[\\s*＊]+", "").toLowerCase(Locale.ROOT);
  }

  /// The text as it may be opened in a spreadsheet: what would be a formula gets an apostrophe in
  /// front, which [#clean] takes off again. (OWASP, CSV injection.)
  static String safe(String text) {
    return !text.isEmpty() && DANGEROUS.indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
  }
}
