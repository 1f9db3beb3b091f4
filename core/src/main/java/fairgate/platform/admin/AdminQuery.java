package fairgate.platform.admin;

import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Request;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Query parameters shared by several admin routes.
public final class AdminQuery {
  public static final int MAX_LIMIT = 500;
  public static final int DEFAULT_LIMIT = 100;
  private static final int LONGEST_TEXT = 200;

  private AdminQuery() {}

  /// The page size: `limit`, 1 to 500, default 100.
  public static int limit(Request request) {
    return (int) number(request, "limit", 1, MAX_LIMIT, DEFAULT_LIMIT);
  }

  /// The exclusive upper bound of the ids of a page, in lists with the newest first: `after`.
  public static long after(Request request) {
    return number(request, "after", 1, Long.MAX_VALUE, Long.MAX_VALUE);
  }

  public static long id(Request request) {
    return number("id", request.pathParam("id"), 1, Long.MAX_VALUE);
  }

  /// `true` or `false`; false where absent.
  public static boolean flag(Request request, String name) {
    String text = request.query(name);
    if (text != null && !text.equals("true") && !text.equals("false")) {
      throw new InvalidRequest(name, "not_one_of", "true, false");
    }
    return "true".equals(text);
  }

  /// A text of 1 to 200 characters; null when absent.
  public static @Nullable String text(Request request, String name) {
    String text = request.query(name);
    if (text != null && (text.isEmpty() || text.length() > LONGEST_TEXT)) {
      throw new InvalidRequest(name, "bad_length", 1, LONGEST_TEXT);
    }
    return text;
  }

  public static long number(Request request, String name, long min, long max, long defaultValue) {
    String text = request.query(name);
    return text == null ? defaultValue : number(name, text, min, max);
  }

  /// A whole number in decimal digits, within bounds.
  public static long number(String name, String text, long min, long max) {
    if (!text.matches("[0-9]{1,18}") || Long.parseLong(text) < min || Long.parseLong(text) > max) {
      throw new InvalidRequest(name, "out_of_range", min, max);
    }
    return Long.parseLong(text);
  }

  /// An enum constant by its name; null when absent.
  public static <E extends Enum<E>> @Nullable E word(
      Request request, String name, E[] all, Function<E, String> word) {
    String text = request.query(name);
    return text == null ? null : word(name, text, all, word);
  }

  public static <E extends Enum<E>> E word(
      String name, String text, E[] all, Function<E, String> word) {
    Optional<E> found = Arrays.stream(all).filter(one -> word.apply(one).equals(text)).findFirst();
    return found.orElseThrow(
        () ->
            new InvalidRequest(
                name, "not_one_of", String.join(", ", Arrays.stream(all).map(word).toList())));
  }
}
