package fairgate.platform.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// The fields of an `application/x-www-form-urlencoded` body.
public final class FormBody {
  private FormBody() {}

  /// The first value of a field; empty when absent or malformed. Throws InvalidRequest for
  /// characters that no text has: PostgreSQL refuses the first of them.
  public static Optional<String> field(Request request, String name) {
    Optional<String> text = raw(request, name);
    if (text.stream().flatMapToInt(String::chars).anyMatch(FormBody::isNoText)) {
      throw new InvalidRequest(name, "bad_format");
    }
    return text;
  }

  /// The same with any characters.
  public static Optional<String> raw(Request request, String name) {
    String body = new String(request.body(), StandardCharsets.UTF_8);
    String start = name + '=';
    int end;
    for (int at = 0; at < body.length(); at = end + 1) {
      int mark = body.indexOf('&', at);
      end = mark < 0 ? body.length() : mark;
      if (body.startsWith(start, at)) {
        return decoded(body.substring(at + start.length(), end));
      }
    }
    return Optional.empty();
  }

  private static Optional<String> decoded(String value) {
    try {
      return Optional.of(URLDecoder.decode(value, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private static boolean isNoText(int letter) {
    return letter < ' ' && letter != '\n' && letter != '\r' && letter != '\t';
  }
}
