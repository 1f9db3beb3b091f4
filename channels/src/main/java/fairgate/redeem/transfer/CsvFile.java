package fairgate.redeem.transfer;

import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.util.List;

/// A file of rows, read one after another; whatever its length, only a row at a time is held.
///
/// @param preamble whether a line `sep=;` stands before the header, as Excel writes it
record CsvFile(CsvText text, char separator, boolean preamble) {
  /// The longest row, in characters: a quotation mark that is never closed is noticed after these.
  private static final int MAX_ROW_CHARS = 128 * 1024;

  private static final String SEPARATORS = ",;\t|";

  /// Takes a row.
  @FunctionalInterface
  interface RowTaker {
    /// Whether to go on.
    ///
    /// @param number the row's number; the header is row 1
    boolean take(long number, List<String> cells) throws IOException;
  }

  /// Finds the separator out: that which the first line has most of, outside quotation marks.
  static CsvFile of(CsvText text) throws IOException {
    try (BufferedReader reader = new BufferedReader(text.open(), 8 * 1024)) {
      String first = firstLine(reader);
      if (first.regionMatches(true, 0, "sep=", 0, 4) && first.length() == 5) {
        return new CsvFile(text, first.charAt(4), true);
      }
      return new CsvFile(text, mostFrequent(first), false);
    }
  }

  /// Reads all rows, the header first. Empty rows have one empty cell or none. Throws
  /// InvalidImportFile where the end of a row cannot be determined.
  void read(RowTaker taker) throws IOException, InvalidImportFile {
    long number = 0;
    try (Reader reader = opened();
        CsvReader<CsvRecord> rows = rows(reader);
        CloseableIterator<CsvRecord> all = rows.iterator()) {
      while (all.hasNext()) {
        number++;
        if (!taker.take(number, all.next().getFields())) {
          return;
        }
      }
    } catch (CsvParseException e) {
      throw new InvalidImportFile("csv_quotes", number + 1);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private Reader opened() throws IOException {
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

  private static String firstLine(Reader reader) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = reader.read(); c >= 0 && c != '\n'; c = reader.read()) {
      if (line.length() < MAX_ROW_CHARS && c != '\r') {
        line.append((char) c);
      }
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
}
