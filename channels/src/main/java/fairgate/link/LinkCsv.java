package fairgate.link;

import fairgate.platform.http.InvalidRequest;
import fairgate.platform.text.CellText;
import fairgate.platform.text.CsvFile;
import fairgate.platform.text.CsvFile.InvalidCsv;
import fairgate.platform.text.CsvText;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.text.Normalizer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Reads files of links: CSV as programs and spreadsheets write it, with a header row. Of the
/// columns `url`, `code`, `expires_at`, `max_visits`, `redirect_status` and `forward_query` only
/// `url` is required. Other columns are ignored, so an exported file can be imported.
final class LinkCsv {
  static final int MAX_LINKS = 1_000;

  private static final int MAX_DIGITS = 9;

  private final Map<String, Integer> columns;
  private final Set<String> ownHosts;
  private final Instant now;
  private final List<Line> lines = new ArrayList<>();

  private LinkCsv(Map<String, Integer> columns, Set<String> ownHosts, Instant now) {
    this.columns = columns;
    this.ownHosts = ownHosts;
    this.now = now;
  }

  /// One line of a file: either the link to create, or the reason for its refusal.
  record Line(long number, Optional<NewLink> link, Optional<InvalidRequest> problem) {}

  /// Reads a file. Throws InvalidRequest when the file is no CSV, has no links or has too many.
  static List<Line> read(byte[] body, Set<String> ownHosts, Instant now) {
    LinkCsv reader = new LinkCsv(new HashMap<>(), ownHosts, now);
    try {
      CsvFile file =
          CsvFile.of(CsvText.of(() -> new ByteArrayInputStream(body), ""))
              .fromHeader(cells -> places(cells).containsKey("url"));
      file.read(
          (number, cells) -> {
            reader.take(number > file.headerRow(), number, cells);
            return true;
          });
    } catch (InvalidCsv invalid) {
      throw new InvalidRequest("", invalid.problemKey(), invalid.arguments().toArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (reader.lines.isEmpty()) {
      throw new InvalidRequest("", "csv_empty");
    }
    return reader.lines;
  }

  /// Heading to column; of two alike the first.
  private static Map<String, Integer> places(List<String> header) {
    Map<String, Integer> places = new HashMap<>();
    for (int i = 0; i < header.size(); i++) {
      Integer _ = places.putIfAbsent(CellText.heading(header.get(i)), i);
    }
    return places;
  }

  private void take(boolean isLink, long number, List<String> cells) {
    if (!isLink) {
      columns.putAll(places(cells));
      if (!columns.containsKey("url")) {
        throw new InvalidRequest("url", "missing");
      }
    } else if (!cells.stream().allMatch(String::isBlank)) {
      if (lines.size() == MAX_LINKS) {
        throw new InvalidRequest("", "csv_too_many", MAX_LINKS);
      }
      lines.add(line(number, cells));
    }
  }

  private Line line(long number, List<String> cells) {
    try {
      return new Line(number, Optional.of(link(cells)), Optional.empty());
    } catch (InvalidRequest problem) {
      return new Line(number, Optional.empty(), Optional.of(problem));
    }
  }

  private NewLink link(List<String> cells) {
    return NewLink.of(
        new NewLink.Texts(
            field(cells, "url").orElseThrow(() -> new InvalidRequest("url", "missing")),
            field(cells, "code").orElse(null),
            field(cells, "expires_at").orElse(null),
            number(cells, "redirect_status").orElse(302),
            number(cells, "max_visits").orElse(0),
            field(cells, "forward_query").orElse(null)),
        ownHosts,
        now);
  }

  private Optional<String> field(List<String> cells, String name) {
    Integer at = columns.get(name);
    return at == null || at >= cells.size()
        ? Optional.empty()
        : Optional.of(CellText.value(cells.get(at))).filter(text -> !text.isEmpty());
  }

  private Optional<Integer> number(List<String> cells, String name) {
    Optional<String> text = field(cells, name);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    String digits = Normalizer.normalize(text.get(), Normalizer.Form.NFKC);
    if (digits.length() > MAX_DIGITS || !digits.matches("[1-9][0-9]*")) {
      throw new InvalidRequest(name, "not_integer");
    }
    return Optional.of(Integer.parseInt(digits));
  }
}
