package fairgate.platform.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A strict decoder of percent-encoding: each text is decoded once, every escape must be complete,
/// and the result must be UTF-8 without U+0000. Only the query of a page may have other text.
final class Percent {
  private Percent() {}

  /// Decodes one path segment. A plus sign is not special. Throws [InvalidRequest].
  ///
  /// A path has exactly one accepted spelling: letters, digits, `-`, `.` and `_` must not be
  /// escaped, and slashes and backslashes are never accepted escaped. Otherwise a proxy that
  /// compares paths as sent would block `/metrics` but forward `/%6detrics`.
  static String segment(String text) {
    if (!needsWork(text, false)) {
      return text;
    }
    for (int at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1)) {
      if (at + 2 < text.length()
          && isPlain(hex(text.charAt(at + 1)) << 4 | hex(text.charAt(at + 2)))) {
        throw new InvalidRequest("", "bad_target");
      }
    }
    return decode(text, false);
  }

  /// Whether the character must not be escaped in a path segment.
  private static boolean isPlain(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || "-._/\\".indexOf(c) >= 0;
  }

  /// Decodes a query into a list of alternating names and values. A plus sign is a space. Throws
  /// [InvalidRequest].
  ///
  /// @param lenient whether a name or value that cannot be decoded stays as it is, such as the
  ///   `50%off` that somebody wrote into the parameters of a campaign
  static List<String> query(String text, boolean lenient) {
    List<String> all = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      int and = text.indexOf('&', at);
      int end = and < 0 ? text.length() : and;
      if (end > at) {
        int equals = text.indexOf('=', at);
        int split = equals < 0 || equals > end ? end : equals;
        all.add(component(text.substring(at, split), lenient));
        all.add(split == end ? "" : component(text.substring(split + 1, end), lenient));
      }
      at = end + 1;
    }
    return all;
  }

  private static String component(String text, boolean lenient) {
    if (!needsWork(text, true)) {
      return text;
    }
    try {
      return decode(text, true);
    } catch (InvalidRequest malformed) {
      if (lenient) {
        return text;
      }
      throw malformed;
    }
  }

  private static boolean needsWork(String text, boolean form) {
    boolean work = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == '\\' || c == '#') {
        throw new InvalidRequest("", "bad_target");
      }
      work |= c == '%' || (form && c == '+');
    }
    return work;
  }

  private static String decode(String text, boolean form) {
    ByteBuffer bytes = ByteBuffer.allocate(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%') {
        int high = i + 2 < text.length() ? hex(text.charAt(i + 1)) : -1;
        int low = i + 2 < text.length() ? hex(text.charAt(i + 2)) : -1;
        if (high < 0 || low < 0 || (high | low) == 0) {
          throw new InvalidRequest("", "bad_target");
        }
        bytes.put((byte) (high << 4 | low));
        i += 2;
      } else {
        bytes.put((byte) (form && c == '+' ? ' ' : c));
      }
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
    } catch (CharacterCodingException e) {
      throw new InvalidRequest("", "bad_target");
    }
  }

  private static int hex(char c) {
    return Character.digit(c, 16);
  }
}
