package fairgate.platform.text;

import de.siegmar.fastcsv.writer.CsvWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Writes CSV (RFC 4180) that a spreadsheet can open without running anything: a cell that would be
/// a formula gets an apostrophe in front (OWASP, CSV injection).
public final class SpreadsheetCsv {
  /// First characters of formulas, with the full-width forms of East Asian keyboards.
  private static final String FORMULA = "=+-@\t\r\n|%\uff1d\uff0b\uff0d\uff20";

  private final CsvWriter csv;
  private final Writer text;

  /// Begins a UTF-8 file with a byte order mark, which Excel requires.
  public SpreadsheetCsv(OutputStream out) throws IOException {
    text = new OutputStreamWriter(out, StandardCharsets.UTF_8);
    text.write('\ufeff');
    csv = CsvWriter.builder().build(text);
  }

  /// The rows as text without a byte order mark; null is an empty cell.
  public static String text(List<List<@Nullable String>> rows) {
    StringWriter text = new StringWriter();
    try (CsvWriter csv = CsvWriter.builder().build(text)) {
      rows.forEach(row -> csv.writeRecord(safe(row)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  /// Writes one row; null is an empty cell.
  public void write(List<? extends @Nullable String> cells) {
    csv.writeRecord(safe(cells));
  }

  public void flush() throws IOException {
    csv.flush();
    text.flush();
  }

  private static List<String> safe(List<? extends @Nullable String> cells) {
    return cells.stream().map(SpreadsheetCsv::safe).collect(Collectors.toList());
  }

  private static String safe(@Nullable String cell) {
    if (cell == null || cell.isEmpty()) {
      return "";
    }
    String bare = cell.stripLeading();
    boolean formula =
        FORMULA.indexOf(cell.charAt(0)) >= 0
            || (!bare.isEmpty() && FORMULA.indexOf(bare.charAt(0)) >= 0);
    return formula ? "'" + cell : cell;
  }
}
