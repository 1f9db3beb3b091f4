package fairgate.platform.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Addresses of pages as people paste them out of a sentence: with the punctuation, the slash or
/// the text behind the address. No path of a page ends in one of these characters or has a
/// character beyond ASCII, so what remains without them is what was meant.
final class PastedPath {
  private static final String CLOSING = "/.,;:!?)]}>\"'`*| ";

  /// Nobody pastes these; proxies may close them by their one spelling.
  private static final List<String> NO_PAGES = List.of("/api/", "/console", "/metrics");

  private PastedPath() {}

  /// The path without what was pasted with it; null if there is nothing to remove, or if the path
  /// is not that of a public page.
  ///
  /// @param path as sent, percent-encoded, without the query
  static @Nullable String clean(String path) {
    int beyond = path.indexOf('%') < 0 ? -1 : beyondAscii(path);
    int end = end(path, beyond < 0 ? path.length() : beyond);
    // Browsers read a backslash as a slash, and two of them lead to another server.
    return end == path.length() || path.indexOf('\\') >= 0 || !mayBePage(path)
        ? null
        : path.substring(0, end);
  }

  /// Whether the path may be that of a public page.
  static boolean mayBePage(String path) {
    return NO_PAGES.stream().noneMatch(path::startsWith);
  }

  /// The end of the path without closing characters; the first slash stays.
  private static int end(String path, int from) {
    int end = from;
    while (end > 1) {
      boolean escaped = end > 3 && path.charAt(end - 3) == '%';
      int last = escaped ? escaped(path, end - 3) : path.charAt(end - 1);
      if (last < 0 || CLOSING.indexOf(last) < 0) {
        return end;
      }
      end -= escaped ? 3 : 1;
    }
    return end;
  }

  /// Where the first escaped byte of a character beyond ASCII is, if it is behind an address; -1 if
  /// there is none, or if another part of the path than the first begins with it.
  private static int beyondAscii(String path) {
    for (int at = path.indexOf('%'); at >= 0; at = path.indexOf('%', at + 1)) {
      if (escaped(path, at) > 0x7f) {
        return at > 1 && path.charAt(at - 1) == '/' ? -1 : at;
      }
    }
    return -1;
  }

  /// The byte of an escape; -1 if it is malformed.
  private static int escaped(String path, int at) {
    int high = at + 2 < path.length() ? Character.digit(path.charAt(at + 1), 16) : -1;
    int low = at + 2 < path.length() ? Character.digit(path.charAt(at + 2), 16) : -1;
    return high < 0 || low < 0 ? -1 : high << 4 | low;
  }
}
