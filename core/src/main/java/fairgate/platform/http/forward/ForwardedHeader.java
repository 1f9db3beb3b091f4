package fairgate.platform.http.forward;

import fairgate.kernel.ClientAddress;
import org.jspecify.annotations.Nullable;

/// A parser of `Forwarded` (RFC 7239) and `X-Forwarded-For`.
final class ForwardedHeader {
  private ForwardedHeader() {}

  /// The start of the last element of a `Forwarded` line that ends at `end`. It is searched from
  /// the right, so that an unclosed quotation mark of the client cannot hide what the proxy
  /// appended.
  static int last(String line, int end) {
    boolean quoted = false;
    for (int i = end - 1; i >= 0; i--) {
      char c = line.charAt(i);
      if (c == '"' && !isEscaped(line, i)) {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        return i + 1;
      }
    }
    return 0;
  }

  /// The value of the only `for` parameter of an element, without quotes; null when there is none
  /// or more than one, or the element is malformed.
  static @Nullable String caller(String element) {
    return parameter(element, "for");
  }

  /// The value of the only `proto` parameter of an element; null as for [#caller].
  static @Nullable String scheme(String element) {
    return parameter(element, "proto");
  }

  private static @Nullable String parameter(String element, String name) {
    String found = null;
    int at = 0;
    while (at <= element.length()) {
      int equals = element.indexOf('=', at);
      int end = pairEnd(element, at);
      if (end < 0 || equals < 0 || equals > end) {
        return null;
      }
      if (element.substring(at, equals).strip().equalsIgnoreCase(name)) {
        if (found != null) {
          return null;
        }
        found = unquoted(element.substring(equals + 1, end).strip());
        if (found == null) {
          return null;
        }
      }
      at = end + 1;
    }
    return found;
  }

  /// An address, bare or with a port: `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]`,
  /// `[2001:db8::1]:80`, and the bare `2001:db8::1` of `X-Forwarded-For`. Null for `unknown`, for
  /// obfuscated names and for everything else.
  static @Nullable ClientAddress node(String text) {
    if (text.startsWith("[")) {
      int close = text.indexOf(']');
      int colon = text.indexOf(':');
      boolean right = colon > 0 && colon < close && isPort(text, close + 1);
      return right ? ClientAddress.parse(text.substring(1, close)) : null;
    }
    int colon = text.indexOf(':');
    boolean port = colon > 0 && text.indexOf('.') >= 0 && text.indexOf(':', colon + 1) < 0;
    if (!port) {
      return ClientAddress.parse(text);
    }
    return isPort(text, colon) ? ClientAddress.parse(text.substring(0, colon)) : null;
  }

  /// Whether the rest is empty, or a colon and a port.
  private static boolean isPort(String text, int from) {
    if (from == text.length()) {
      return true;
    }
    String port = text.substring(from + 1);
    return text.charAt(from) == ':' && port.matches("[0-9]{1,5}|_[A-Za-z0-9._-]{1,64}");
  }

  /// The end of the pair that begins at `from`; -1 when a quotation mark is not closed.
  private static int pairEnd(String element, int from) {
    boolean quoted = false;
    for (int i = from; i < element.length(); i++) {
      char c = element.charAt(i);
      if (quoted && c == '\\') {
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ';' && !quoted) {
        return i;
      }
    }
    return quoted ? -1 : element.length();
  }

  private static @Nullable String unquoted(String value) {
    if (!value.startsWith("\"")) {
      return value.indexOf('"') < 0 ? value : null;
    }
    if (value.length() < 2 || !value.endsWith("\"")) {
      return null;
    }
    StringBuilder text = new StringBuilder(value.length());
    for (int i = 1; i < value.length() - 1; i++) {
      char c = value.charAt(i);
      if (c == '"') {
        return null;
      }
      if (c == '\\') {
        i++;
        if (i == value.length() - 1) {
          return null;
        }
      }
      text.append(value.charAt(i));
    }
    return text.toString();
  }

  private static boolean isEscaped(String text, int at) {
    int slashes = 0;
    while (at - slashes > 0 && text.charAt(at - slashes - 1) == '\\') {
      slashes++;
    }
    return slashes % 2 == 1;
  }
}
