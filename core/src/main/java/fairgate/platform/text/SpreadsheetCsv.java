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
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Writes CSV (RFC 4180) that a spreadsheet opens and saves again without harm. A cell gets an
/// apostrophe in front if it would be a formula (OWASP, CSV injection), or if a spreadsheet would
/// take it for a number and lose digits: `524114000000000123` becomes `5.24114E+17`, `0012` becomes
/// `12`. The apostrophe is plain text in every spreadsheet, and stays however often the file is
/// saved. [CellText] removes it.
public final class SpreadsheetCsv {
  /// First characters of formulas, with the full-width forms of East Asian keyboards.
  private static final String FORMULA = "=+-@\t\r\n|%\uff1d\uff0b\uff0d\uff20";

  /// Text that a spreadsheet would change as a number: it shows and saves more than eleven digits
  /// with an exponent, and knows no leading zeros. Digits of East Asian keyboards count as digits.
  private static final Pattern DAMAGED_AS_NUMBER =
      Pattern.compile(
          "\\p{Nd}{12,}([.．]\\p{Nd}*)?|[0０]\\p{Nd}+|\\p{Nd}+([.．]\\p{Nd}*)?[eEｅＥ]\\p{Nd}+");

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
    String bare = cell.strip();
    boolean formula =
        FORMULA.indexOf(cell.charAt(0)) >= 0
            || (!bare.isEmpty() && FORMULA.indexOf(bare.charAt(0)) >= 0);
    return formula || DAMAGED_AS_NUMBER.matcher(bare).matches() ? "'" + cell : cell;
  }
}
