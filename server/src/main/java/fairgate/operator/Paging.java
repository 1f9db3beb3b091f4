package fairgate.operator;

import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Request;

/// Reads `limit`, `after` and ids of rows from a request.
final class Paging {
  private static final int MOST = 500;
  private static final int USUAL = 100;

  private Paging() {}

  /// How many rows are wanted: 1 to 500, else 100.
  static int limit(Request request) {
    return Math.toIntExact(number(request.query("limit"), "limit", USUAL, MOST));
  }

  /// The id below which the page begins.
  static long before(Request request) {
    return number(request.query("after"), "after", Long.MAX_VALUE, Long.MAX_VALUE);
  }

  /// The id in the path.
  static long id(Request request) {
    return number(request.pathParam("id"), "id", 0, Long.MAX_VALUE);
  }

  private static long number(
      @org.jspecify.annotations.Nullable String text, String field, long otherwise, long most) {
    if (text == null) {
      return otherwise;
    }
    if (!text.matches("[0-9]{1,18}") || Long.parseLong(text) < 1 || Long.parseLong(text) > most) {
      throw new InvalidRequest(field, "out_of_range", 1, most);
    }
    return Long.parseLong(text);
  }
}
