package fairgate.redeem.transfer;

import fairgate.platform.text.CsvFile;
import fairgate.platform.text.CsvText;
import fairgate.platform.text.InvalidCsv;
import fairgate.redeem.orders.OrderNumberFormats;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The result of reading a file once before its import.
///
/// @param newest the latest payment in it; empty if it has no times
/// @param rows the number of rows after the header, including empty ones
record FileSummary(
    CsvFile file, ImportColumns columns, long rows, Optional<Instant> newest, NumberDamage damage) {
  /// Counts while the file is read.
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
}
