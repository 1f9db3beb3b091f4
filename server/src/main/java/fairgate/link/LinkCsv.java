package fairgate.link;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import de.siegmar.fastcsv.writer.CsvWriter;
import fairgate.platform.http.InvalidRequest;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Links by the file: CSV with a head, by RFC 4180. Of the columns `url`, `code`, `expires_at`,
/// `max_visits` and `redirect_status` only `url` has to be there; others are passed over, so that
/// what was exported can be imported.
final class LinkCsv {
  /// The most links of one file.
  static final int MOST = 1_000;

  private static final int LONGEST_NUMBER = 9;

  private LinkCsv() {}

  /// A line and what it asks for, or what is wrong with it.
  record Line(long number, Optional<NewLink> link, Optional<InvalidRequest> problem) {}

  /// Reads a file. Throws InvalidRequest when it is none as a whole.
  static List<Line> read(byte[] body, Set<String> ownHosts, Instant now) {
    String text = new String(body, StandardCharsets.UTF_8);
    List<Line> lines = new ArrayList<>();
    try (CsvReader<NamedCsvRecord> csv =
        CsvReader.builder()
            .ofNamedCsvRecord(text.startsWith("\ufeff") ? text.substring(1) : text)) {
      for (NamedCsvRecord row : csv) {
        if (lines.size() == MOST) {
          throw new InvalidRequest("", "csv_too_many", MOST);
        }
        lines.add(line(row, ownHosts, now));
      }
    } catch (CsvParseException | java.io.IOException e) {
      throw new InvalidRequest("", "csv_malformed");
    }
    if (lines.isEmpty()) {
      throw new InvalidRequest("", "csv_empty");
    }
    return lines;
  }

  private static Line line(NamedCsvRecord row, Set<String> ownHosts, Instant now) {
    long number = row.getStartingLineNumber();
    try {
      return new Line(number, Optional.of(link(row, ownHosts, now)), Optional.empty());
    } catch (InvalidRequest problem) {
      return new Line(number, Optional.empty(), Optional.of(problem));
    }
  }

  private static NewLink link(NamedCsvRecord row, Set<String> ownHosts, Instant now) {
    return NewLink.of(
        new NewLink.Texts(
            field(row, "url").orElseThrow(() -> new InvalidRequest("url", "missing")),
            field(row, "code").orElse(null),
            field(row, "expires_at").orElse(null),
            number(row, "redirect_status").orElse(302),
            number(row, "max_visits").orElse(0)),
        ownHosts,
        now);
  }

  private static Optional<String> field(NamedCsvRecord row, String name) {
    return row.findField(name).map(String::strip).filter(text -> !text.isEmpty());
  }

  private static Optional<Integer> number(NamedCsvRecord row, String name) {
    Optional<String> text = field(row, name);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    String digits = text.get();
    if (digits.length() > LONGEST_NUMBER || !digits.matches("[1-9][0-9]*")) {
      throw new InvalidRequest(name, "not_integer");
    }
    return Optional.of(Integer.parseInt(digits));
  }

  /// Writes a file.
  static byte[] write(List<List<String>> rows) {
    StringWriter text = new StringWriter();
    try (CsvWriter csv = CsvWriter.builder().build(text)) {
      rows.forEach(csv::writeRecord);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }
}
