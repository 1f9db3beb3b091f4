package fairgate.draw;

import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Request;
import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Rows;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/// Pages of the list of draws, by the query parameters `after` and `limit`. Draws that close last
/// come first.
public final class DrawList {
  private static final int MAX_LIMIT = 500;
  private static final int DEFAULT_LIMIT = 100;
  private static final String CURSOR = "[0-9]{1,16}[.][a-z0-9-]{1,40}";
  private static final Comparator<Position> ORDER =
      Comparator.comparingLong(Position::close).reversed().thenComparing(Position::id);

  private static final Rows ROWS = new Rows(LoggerFactory.getLogger(DrawList.class), "draws");

  private DrawList() {}

  /// The place of a draw in the list.
  ///
  /// @param close end of the window for entries, seconds since 1970
  private record Position(long close, String id) {
    static Position of(Draw draw) {
      return new Position(draw.rules().close(), draw.id());
    }

    static Position parse(String text) {
      if (!text.matches(CURSOR)) {
        throw new InvalidRequest("after", "bad_format");
      }
      int dot = text.indexOf('.');
      return new Position(Long.parseLong(text.substring(0, dot)), text.substring(dot + 1));
    }
  }

  /// The page that the request asks for. A full page has `after`. Throws [InvalidRequest].
  public static JsonText page(Draws draws, Request request) {
    int limit = limit(request.query("limit"));
    String after = request.query("after");
    Position from = after == null ? null : Position.parse(after);
    List<Draw> page =
        draws.all().stream()
            .filter(draw -> from == null || ORDER.compare(Position.of(draw), from) > 0)
            .sorted(Comparator.comparing(Position::of, ORDER))
            .limit(limit)
            .toList();
    JsonText rows = JsonText.array();
    ROWS.of(page, DrawJson::brief, Draw::id).forEach(rows::add);
    JsonText body = JsonText.object().put("draws", rows);
    if (page.size() == limit) {
      Position last = Position.of(page.getLast());
      body.put("after", last.close() + "." + last.id());
    }
    return body;
  }

  private static int limit(@Nullable String text) {
    if (text == null) {
      return DEFAULT_LIMIT;
    }
    int limit = text.matches("[0-9]{1,3}") ? Integer.parseInt(text) : 0;
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new InvalidRequest("limit", "out_of_range", 1, MAX_LIMIT);
    }
    return limit;
  }
}
