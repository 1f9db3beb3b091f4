package fairgate.platform.text;

import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.BufferedReader;
import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;
import java.io.Serial;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// A file of rows, read one after another; whatever its length, only a row at a time is held.
///
/// @param preamble whether a line `sep=;` stands before all rows, as Excel writes it
/// @param headerRow the number of the header's row, from 1; titles may stand above it
public record CsvFile(CsvText text, char separator, boolean preamble, int headerRow) {
  /// The header is among this many first rows.
  private static final int MAX_HEADER_ROW = 10;

  /// The longest row, in characters: a quotation mark that is never closed is noticed after these.
  private static final int MAX_ROW_CHARS = 128 * 1024;

  private static final String SEPARATORS = ",;\t|";

  @FunctionalInterface
  public interface RowTaker {
    /// Whether to go on.
    ///
    /// @param number the row's number, as a spreadsheet counts them
    boolean take(long number, List<String> cells) throws IOException;
  }

  /// Finds the separator out: that which the first line has most of, outside quotation marks.
  public static CsvFile of(CsvText text) throws IOException {
    try (BufferedReader reader = new BufferedReader(text.open(), 8 * 1024)) {
      String first = firstLine(reader);
      if (first.regionMatches(true, 0, "sep=", 0, 4) && first.length() == 5) {
        return new CsvFile(text, first.charAt(4), true, 1);
      }
      return new CsvFile(text, mostFrequent(first), false, 1);
    }
  }

  /// The file from its header on, which may stand below titles and empty rows, with the separator
  /// that makes it a header. The same file if none of the first rows is one.
  public CsvFile fromHeader(Predicate<List<String>> isHeader) throws IOException {
    List<CsvFile> candidates = new ArrayList<>(List.of(this));
    for (int i = 0; i < SEPARATORS.length() && !preamble; i++) {
      candidates.add(new CsvFile(text, SEPARATORS.charAt(i), false, 1));
    }
    for (CsvFile candidate : candidates) {
      int row = candidate.rowOf(isHeader);
      if (row > 0) {
        return new CsvFile(text, candidate.separator(), preamble, row);
      }
    }
    return this;
  }

  private int rowOf(Predicate<List<String>> isHeader) throws IOException {
    int[] found = {0};
    try {
      read(
          (number, cells) -> {
            found[0] = isHeader.test(cells) ? (int) number : 0;
            return found[0] == 0 && number < MAX_HEADER_ROW;
          });
    } catch (InvalidCsv _) {
      // Reading the file with its own separator finds the same fault again.
      return 0;
    }
    return found[0];
  }

  /// Reads all rows from the header on. Empty rows have one empty cell or none. Throws InvalidCsv
  /// where the end of a row cannot be determined.
  public void read(RowTaker taker) throws IOException, InvalidCsv {
    long number = 0;
    LineMeter meter = null;
    try (LineMeter reader = new LineMeter(opened());
        CsvReader<CsvRecord> rows = rows(reader);
        CloseableIterator<CsvRecord> all = rows.iterator()) {
      meter = reader;
      while (all.hasNext()) {
        number++;
        CsvRecord row = all.next();
        if (number >= headerRow && !taker.take(number, row.getFields())) {
          return;
        }
      }
    } catch (CsvParseException e) {
      throw meter != null && meter.length > MAX_ROW_CHARS / 2
          ? new InvalidCsv("csv_long_row", number + 1, MAX_ROW_CHARS)
          : new InvalidCsv("csv_quotes", number + 1);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /// Counts the characters since the last line end: many of them where a row is too long for
  /// itself, few where a quotation mark makes one row of many lines.
  private static final class LineMeter extends FilterReader {
    private long length;

    LineMeter(Reader in) {
      super(in);
    }

    @Override
    public int read(char[] into, int at, int most) throws IOException {
      int count = super.read(into, at, most);
      for (int i = at; i < at + count; i++) {
        length = into[i] == '\n' || into[i] == '\r' ? 0 : length + 1;
      }
      return count;
    }
  }

  private BufferedReader opened() throws IOException {
    BufferedReader reader = new BufferedReader(text.open(), 64 * 1024);
    if (preamble) {
      String _ = firstLine(reader);
    }
    return reader;
  }

  private CsvReader<CsvRecord> rows(Reader reader) {
    return CsvReader.builder()
        .fieldSeparator(separator)
        .skipEmptyLines(false)
        .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
        .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
        .trimWhitespacesAroundQuotes(true)
        .allowUnclosedQuote(false)
        .maxBufferSize(MAX_ROW_CHARS)
        .ofCsvRecord(reader);
  }

  /// Reads a line that ends in LF, CR or both; the part of it that a row may have.
  private static String firstLine(BufferedReader reader) throws IOException {
    StringBuilder line = new StringBuilder();
    int c = reader.read();
    for (; c >= 0 && c != '\n' && c != '\r'; c = reader.read()) {
      if (line.length() < MAX_ROW_CHARS) {
        line.append((char) c);
      }
    }
    reader.mark(1);
    if (c == '\r' && reader.read() != '\n') {
      reader.reset();
    }
    return line.toString();
  }

  private static char mostFrequent(String line) {
    int[] counts = new int[SEPARATORS.length()];
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      quoted ^= c == '"';
      int at = SEPARATORS.indexOf(c);
      if (at >= 0 && !quoted) {
        counts[at]++;
      }
    }
    int best = 0;
    for (int i = 1; i < counts.length; i++) {
      best = counts[i] > counts[best] ? i : best;
    }
    return SEPARATORS.charAt(best);
  }

  /// A file cannot be read at all: it is not text, not CSV, or its header lacks a column.
  public static final class InvalidCsv extends Exception {
    @Serial private static final long serialVersionUID = 1L;

    private final String field;
    private final String problemKey;
    private final transient List<Object> arguments;

    /// @param problemKey the rest of a key of a message after `invalid.`
    public InvalidCsv(String problemKey, Object... arguments) {
      this(problemKey, List.of(arguments), "");
    }

    private InvalidCsv(String problemKey, List<Object> arguments, String field) {
      super(problemKey);
      this.field = field;
      this.problemKey = problemKey;
      this.arguments = arguments;
    }

    /// A copy that names the option of the import that can solve it.
    public InvalidCsv solvedBy(String option) {
      return new InvalidCsv(problemKey, arguments, option);
    }

    /// The option of the import that can solve it; empty for none.
    public String field() {
      return field;
    }

    /// Of the message `invalid.<problemKey>`.
    public String problemKey() {
      return problemKey;
    }

    /// Of the message, from `{1}` on.
    public List<Object> arguments() {
      return arguments;
    }
  }
}
