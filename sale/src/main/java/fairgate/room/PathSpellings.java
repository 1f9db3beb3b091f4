package fairgate.room;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The spellings that servers behind a proxy can make of one path: decoded once, twice or three
/// times, with and without `;` parameters, and as Windows reads them. All are case-folded, with
/// slashes for backslashes, single slashes, no dot segments, and no slash at the end.
final class PathSpellings {
  private static final int MOST_DECODINGS = 3;
  private static final Pattern WINDOWS = Pattern.compile(":|[. ](/|$)");

  private PathSpellings() {}

  /// The spellings of a path without a query; empty when it cannot be read, because an escape is
  /// incomplete, it is not UTF-8, it has control characters, or is still encoded after three
  /// decodings.
  static Set<String> of(String path) {
    Set<String> all = new LinkedHashSet<>();
    String text = path;
    for (int i = 0; i <= MOST_DECODINGS; i++) {
      add(all, text);
      if (text.indexOf('%') < 0) {
        return all;
      }
      text = decoded(text);
      if (text.isEmpty()) {
        return Set.of();
      }
    }
    return Set.of();
  }

  private static void add(Set<String> all, String text) {
    String folded = folded(text);
    addWithWindows(all, folded);
    if (folded.indexOf(';') >= 0) {
      addWithWindows(all, folded.replaceAll(";[^/]*", ""));
    }
  }

  private static void addWithWindows(Set<String> all, String folded) {
    all.add(plain(folded));
    if (WINDOWS.matcher(folded).find()) {
      all.add(plain(windows(folded)));
    }
  }

  /// The path as Windows opens it: the name of a stream and the dots and spaces at the end of a
  /// segment do not count.
  private static String windows(String folded) {
    return Arrays.stream(folded.split("/", -1))
        .map(segment -> segment.replaceAll(":.*| +$", ""))
        .map(segment -> segment.matches("\\.{1,2}") ? segment : segment.replaceAll("[. ]+$", ""))
        .collect(Collectors.joining("/"));
  }

  /// The text in one case. Letters that have the same capital become equal, so that `\u017f` cannot
  /// stand for `s`.
  static String folded(String text) {
    return text.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT).replace('\\', '/');
  }

  /// The path without a slash at the end.
  static String trimmed(String path) {
    return path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }

  /// The path without empty and dot segments.
  private static String plain(String path) {
    Deque<String> segments = new ArrayDeque<>();
    for (String segment : path.split("/", -1)) {
      if (segment.equals("..")) {
        segments.pollLast();
      } else if (!segment.isEmpty() && !segment.equals(".")) {
        segments.addLast(segment);
      }
    }
    return "/" + String.join("/", segments);
  }

  /// The text with every escape decoded once; empty when it cannot be.
  private static String decoded(String text) {
    byte[] raw = text.getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes = ByteBuffer.allocate(raw.length);
    for (int i = 0; i < raw.length; i++) {
      if (raw[i] != '%') {
        bytes.put(raw[i]);
        continue;
      }
      int high = i + 2 < raw.length ? Character.digit(raw[i + 1], 16) : -1;
      int low = i + 2 < raw.length ? Character.digit(raw[i + 2], 16) : -1;
      if (high < 0 || low < 0) {
        return "";
      }
      bytes.put((byte) (high << 4 | low));
      i += 2;
    }
    try {
      String decoded = StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
      return decoded.chars().anyMatch(c -> c < ' ' || c == 0x7f) ? "" : decoded;
    } catch (CharacterCodingException notUtf8) {
      return "";
    }
  }
}
