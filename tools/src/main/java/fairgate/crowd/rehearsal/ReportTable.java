package fairgate.crowd.rehearsal;

import java.util.List;
import java.util.Locale;

/// A table of a report, for the terminal and for the page. The first columns are texts, the others
/// are figures.
///
/// @param texts how many columns are texts
record ReportTable(String title, int texts, List<String> heads, List<List<String>> rows) {

  /// The table with padded columns.
  String text() {
    int[] widths = new int[heads.size()];
    for (int column = 0; column < widths.length; column++) {
      widths[column] = heads.get(column).length();
      for (List<String> row : rows) {
        widths[column] = Math.max(widths[column], row.get(column).length());
      }
    }
    StringBuilder out = new StringBuilder("\n").append(title).append('\n');
    line(out, widths, heads);
    rows.forEach(row -> line(out, widths, row));
    return out.toString();
  }

  private void line(StringBuilder out, int[] widths, List<String> cells) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      String gap = " ".repeat(widths[column] - cells.get(column).length());
      line.append("  ").append(column < texts ? cells.get(column) + gap : gap + cells.get(column));
    }
    out.append(line.toString().stripTrailing()).append('\n');
  }

  /// A figure: whole numbers without a fraction, small ones with three digits.
  static String number(double value) {
    if (value == Math.rint(value)) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    return String.format(Locale.ROOT, Math.abs(value) < 1 ? "%.3f" : "%,.1f", value);
  }
}
