package fairgate.operator;

import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Request;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Parameters that several lists of the admin API take.
final class AdminQuery {
  private static final int MOST = 500;
  private static final int USUAL = 100;

  private AdminQuery() {}

  /// How many entries a page has: `limit`, 1 to 500, else 100.
  static int limit(Request request) {
    return (int) number(request, "limit", 1, MOST, USUAL);
  }

  /// A whole number within the bounds.
  static long number(Request request, String name, long least, long most, long otherwise) {
    String text = request.query(name);
    if (text == null) {
      return otherwise;
    }
    if (!text.matches("[0-9]{1,18}")
        || Long.parseLong(text) < least
        || Long.parseLong(text) > most) {
      throw new InvalidRequest(name, "out_of_range", least, most);
    }
    return Long.parseLong(text);
  }

  /// One of the words of an enum, or null.
  static <E extends Enum<E>> @Nullable E word(
      Request request, String name, E[] all, Function<E, String> word) {
    String text = request.query(name);
    return text == null ? null : word(name, text, all, word);
  }

  static <E extends Enum<E>> E word(String name, String text, E[] all, Function<E, String> word) {
    Optional<E> found = Arrays.stream(all).filter(one -> word.apply(one).equals(text)).findFirst();
    return found.orElseThrow(
        () ->
            new InvalidRequest(
                name, "not_one_of", String.join(", ", Arrays.stream(all).map(word).toList())));
  }
}
