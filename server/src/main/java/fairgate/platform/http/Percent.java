package fairgate.platform.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Decodes percent-encoding, once, strictly: every escape whole, the result UTF-8 without U+0000.
final class Percent {
  private Percent() {}

  /// Decodes one path segment. A plus sign is itself. Throws [InvalidRequest].
  static String segment(String text) {
    return needsWork(text, false) ? decode(text, false) : text;
  }

  /// Decodes a query into names and values, one after the other. A plus sign is a blank. Throws
  /// [InvalidRequest].
  static List<String> query(String text) {
    List<String> all = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      int and = text.indexOf('&', at);
      int end = and < 0 ? text.length() : and;
      if (end > at) {
        int equals = text.indexOf('=', at);
        int split = equals < 0 || equals > end ? end : equals;
        all.add(component(text.substring(at, split)));
        all.add(split == end ? "" : component(text.substring(split + 1, end)));
      }
      at = end + 1;
    }
    return all;
  }

  private static String component(String text) {
    return needsWork(text, true) ? decode(text, true) : text;
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
