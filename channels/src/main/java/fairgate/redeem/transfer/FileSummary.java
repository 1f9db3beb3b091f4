package fairgate.redeem.transfer;

import fairgate.platform.text.CsvFile;
import fairgate.platform.text.CsvFile.InvalidCsv;
import fairgate.platform.text.CsvText;
import fairgate.redeem.orders.OrderNumberFormats;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The result of reading a file once before its import.
///
/// @param newest the latest payment in it; empty if it has no times
/// @param rows the number of rows after the header, including empty ones
record FileSummary(
    CsvFile file, ImportColumns columns, long rows, Optional<Instant> newest, NumberDamage damage) {
  private static final class Count {
    private final ImportOptions options;
    private final NumberDamage damage = new NumberDamage();
    private final Optional<ZoneId> zone;
    private long rows;
    private @Nullable Instant newest;
    private List<String> header = List.of();

    Count(ImportOptions options) {
      this.options = options;
      this.zone = options.zoneOfTimes();
    }

    void time(String text) {
      Instant time = text.isEmpty() ? null : CellParser.time(text, zone).orElse(null);
      if (time != null && (newest == null || time.isAfter(newest))) {
        newest = time;
      }
    }
  }

  /// Reads the file once. Throws InvalidCsv when it cannot be imported at all.
  static FileSummary at(CsvText.Source source, ImportOptions options)
      throws IOException, InvalidCsv {
    CsvFile file =
        CsvFile.of(CsvText.of(source, options.encoding()))
            .fromHeader(cells -> ImportColumns.fit(cells, options));
    Count count = new Count(options);
    ImportColumns columns = header(file, count);
    file.read(
        (number, cells) -> {
          if (number > file.headerRow()) {
            count.rows++;
            count.damage.count(
                OrderNumberFormats.normalise(columns.cell(cells, ImportField.ORDER_ID)));
            count.time(columns.cell(cells, ImportField.PAID_AT));
          }
          return true;
        });
    if (count.rows == 0) {
      throw new InvalidCsv("csv_empty");
    }
    return new FileSummary(
        file, columns, count.rows, Optional.ofNullable(count.newest), count.damage);
  }

  private static ImportColumns header(CsvFile file, Count count) throws IOException, InvalidCsv {
    file.read(
        (_, cells) -> {
          count.header = List.copyOf(cells);
          return false;
        });
    if (count.header.stream().allMatch(String::isBlank)) {
      throw new InvalidCsv("csv_empty");
    }
    return ImportColumns.of(count.header, count.options);
  }

  /// Detects order numbers that a program treated as numbers: Excel keeps fifteen digits and shows
  /// the rest as zeros, or the whole as `3.21106E+18`; scripts keep sixteen or seventeen digits.
  /// The lost digits cannot be restored.
  ///
  /// A longer number that ends in three zeros is damaged, unless the file has no more of them than
  /// chance explains: one of a thousand correct numbers ends so.
  static final class NumberDamage {
    private static final int EXACT = 15;
    private static final int ZEROS = 3;
    private static final int SUSPICION = 10;
    private static final Pattern EXPONENT =
        Pattern.compile("[+-]?\\d+([.,]\\d+)?[eE][+-]?\\d{1,3}");
    private static final Pattern DECIMAL = Pattern.compile("\\d{10,}\\.\\d*");

    private long zeroed;
    private double expected;

    /// Counts a number of the file, when it is one of those Excel would damage.
    void count(String orderId) {
      if (isLong(orderId)) {
        expected += Math.pow(10, -lost(orderId));
        zeroed += endsInZeros(orderId) ? 1 : 0;
      }
    }

    /// The problem of a number, once all numbers are counted.
    ///
    /// @param trustZeros whether endings of zeros are known to be correct
    Optional<RowProblem> problem(String orderId, boolean trustZeros) {
      if (EXPONENT.matcher(orderId).matches()) {
        return Optional.of(RowProblem.of("excel_exponent", orderId));
      }
      if (DECIMAL.matcher(orderId).matches()) {
        return Optional.of(RowProblem.of("excel_decimal", orderId));
      }
      boolean suspicious = zeroed > expected * SUSPICION;
      if (!trustZeros && suspicious && isLong(orderId) && endsInZeros(orderId)) {
        int zeros = orderId.length() - orderId.replaceFirst("0+$", "").length();
        return Optional.of(RowProblem.of("excel_zeros", orderId, Integer.toString(zeros)));
      }
      return Optional.empty();
    }

    private static boolean isLong(String orderId) {
      return orderId.length() > EXACT && orderId.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static boolean endsInZeros(String orderId) {
      return orderId.endsWith("0".repeat(lost(orderId)));
    }

    /// How many digits at the end are zeros at least once it is damaged.
    private static int lost(String orderId) {
      return Math.min(ZEROS, orderId.length() - EXACT);
    }
  }
}
