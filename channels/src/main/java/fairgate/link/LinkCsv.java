package fairgate.link;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import fairgate.platform.http.InvalidRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Reads files of links: CSV (RFC 4180) with a header row. Of the columns `url`, `code`,
/// `expires_at`, `max_visits`, `redirect_status` and `forward_query` only `url` is required. Other
/// columns are ignored, so an exported file can be imported.
final class LinkCsv {
  /// The number of links that one file may have.
  static final int MAX_LINKS = 1_000;

  private static final int MAX_DIGITS = 9;

  private LinkCsv() {}

  /// One line of a file: either the link to create, or the reason for its refusal.
  record Line(long number, Optional<NewLink> link, Optional<InvalidRequest> problem) {}

  /// Reads a file. Throws InvalidRequest when the file is no CSV, has no links or has too many.
  static List<Line> read(byte[] body, Set<String> ownHosts, Instant now) {
    String text = new String(body, StandardCharsets.UTF_8);
    List<Line> lines = new ArrayList<>();
    try (CsvReader<NamedCsvRecord> csv =
        CsvReader.builder()
            .ofNamedCsvRecord(text.startsWith("\ufeff") ? text.substring(1) : text)) {
      for (NamedCsvRecord row : csv) {
        if (lines.size() == MAX_LINKS) {
          throw new InvalidRequest("", "csv_too_many", MAX_LINKS);
        }
        lines.add(line(row, ownHosts, now));
      }
    } catch (CsvParseException | IOException e) {
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
            number(row, "max_visits").orElse(0),
            field(row, "forward_query").orElse(null)),
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
    if (digits.length() > MAX_DIGITS || !digits.matches("[1-9][0-9]*")) {
      throw new InvalidRequest(name, "not_integer");
    }
    return Optional.of(Integer.parseInt(digits));
  }
}
