package fairgate.platform.text;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Removes characters that spreadsheets and exports add around the text of cells.
public final class CellText {
  private static final Pattern AS_FORMULA = Pattern.compile("=\"([^\"]*)\"");
  private static final Pattern BRACKETS = Pattern.compile("[(（\\[【][^)）\\]】]*[)）\\]】]");

  private static final Pattern NOTHING =
      Pattern.compile(
          "[-–—－/\\\\]+|\\(?null\\)?|none|nil|n/a|#n/a|nan|无|無|0000-00-00( 00:00:00)?",
          Pattern.CASE_INSENSITIVE);

  private CellText() {}

  /// The text without byte order marks, invisible characters, blanks around it, the apostrophe in
  /// front and the formula (`="123"`) that keep a spreadsheet from taking it for a number: what
  /// [SpreadsheetCsv] writes is read as it was.
  public static String clean(String cell) {
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
    if (text.startsWith("'") || text.startsWith("`")) {
      text = text.substring(1).strip();
    }
    Matcher formula = AS_FORMULA.matcher(text);
    if (!formula.matches()) {
      return text;
    }
    String inner = formula.group(1).strip();
    return inner.startsWith("'") ? inner.substring(1).strip() : inner;
  }

  /// The clean text, empty if it is a mark for an empty cell, such as `-` or `NULL`.
  public static String value(String cell) {
    String text = clean(cell);
    return NOTHING.matcher(text).matches() ? "" : text;
  }

  /// A heading in the form for comparison: clean, in lower case, without spaces and text in
  /// brackets.
  public static String heading(String cell) {
    String bare = BRACKETS.matcher(clean(cell)).replaceAll("");
    return bare.replaceAll("[\\s*＊]+", "").toLowerCase(Locale.ROOT);
  }
}
