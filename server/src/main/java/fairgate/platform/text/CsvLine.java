package fairgate.platform.text;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A line of CSV (RFC 4180) that a spreadsheet shows and never runs: a cell that it would take for
/// a formula begins with an apostrophe instead.
public final class CsvLine {
  /// What formulas begin with, the wide forms of East Asian keyboards included.
  private static final String FORMULA = "=+-@\t\r\n|%\uff1d\uff0b\uff0d\uff20";

  private CsvLine() {}

  /// The cells as a line with its ending; null is an empty cell.
  public static String of(@Nullable String... cells) {
    return of(Arrays.asList(cells));
  }

  public static String of(List<@Nullable String> cells) {
    return cells.stream().map(CsvLine::cell).collect(Collectors.joining(",", "", "\r\n"));
  }

  private static String cell(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return "";
    }
    String bare = text.stripLeading();
    boolean formula =
        FORMULA.indexOf(text.charAt(0)) >= 0
            || (!bare.isEmpty() && FORMULA.indexOf(bare.charAt(0)) >= 0);
    String safe = formula ? "'" + text : text;
    boolean plain = safe.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? safe : '"' + safe.replace("\"", "\"\"") + '"';
  }
}
