package fairgate.platform.http;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Reads and writes cookies, without keeping more of the header than is asked for.
final class Cookies {
  private Cookies() {}

  /// The value of the first cookie with this name, or null. Quotes around it are taken off.
  static @Nullable String find(@Nullable String header, String name) {
    if (header == null) {
      return null;
    }
    int at = 0;
    while (at < header.length()) {
      int end = header.indexOf(';', at);
      int stop = end < 0 ? header.length() : end;
      while (at < stop && header.charAt(at) == ' ') {
        at++;
      }
      int value = at + name.length() + 1;
      if (value <= stop && header.charAt(value - 1) == '=' && header.startsWith(name, at)) {
        return unquoted(header.substring(value, stop).strip());
      }
      at = stop + 1;
    }
    return null;
  }

  /// A `set-cookie` value. Throws IllegalArgumentException when name or value hold what a cookie
  /// may not.
  static String render(String name, String value, Duration maxAge) {
    if (!isPlain(name) || !isPlain(value)) {
      throw new IllegalArgumentException("a cookie holds a character it may not: " + name);
    }
    return name
        + '='
        + value
        + "; Path=/; Max-Age="
        + maxAge.toSeconds()
        + "; HttpOnly; SameSite=Lax";
  }

  private static String unquoted(String value) {
    boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
    return quoted ? value.substring(1, value.length() - 1) : value;
  }

  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == ';' || c == ',' || c == '"' || c == '\\') {
        return false;
      }
    }
    return true;
  }
}
