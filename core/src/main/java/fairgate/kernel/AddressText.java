package fairgate.kernel;

import org.jspecify.annotations.Nullable;

/// Parses and formats addresses. The parser is strict, because its result identifies a caller.
final class AddressText {
  private static final int GROUPS = 8;

  private AddressText() {}

  /// The 32 bits of a dotted address from `from` to the end of the text; -1 when it is invalid.
  static long v4(String text, int from) {
    long bits = 0;
    int at = from;
    for (int part = 0; part < 4; part++) {
      int dot = text.indexOf('.', at);
      int end = part < 3 ? dot : text.length();
      if (end < 0 || (part == 3 && dot >= 0)) {
        return -1;
      }
      int value = decimal(text, at, end, 255);
      // Leading zeros are ambiguous: some parsers read them as octal.
      if (value < 0 || (end - at > 1 && text.charAt(at) == '0')) {
        return -1;
      }
      bits = bits << 8 | value;
      at = end + 1;
    }
    return bits;
  }

  /// The decimal number in this range of the text, at most `max`; -1 when it is invalid.
  static int decimal(String text, int from, int to, int max) {
    if (to <= from || to - from > 3) {
      return -1;
    }
    int value = 0;
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        return -1;
      }
      value = value * 10 + c - '0';
    }
    return value > max ? -1 : value;
  }

  static @Nullable ClientAddress v6(String text) {
    int gap = text.indexOf("::");
    if (gap < 0) {
      int[] all = new int[GROUPS];
      return groups(text, all) == GROUPS ? address(all) : null;
    }
    int[] head = new int[GROUPS];
    int[] tail = new int[GROUPS];
    boolean dotted = text.lastIndexOf('.', gap) >= 0;
    int before = dotted ? -1 : groups(text.substring(0, gap), head);
    int after = groups(text.substring(gap + 2), tail);
    if (before < 0 || after < 0 || before + after >= GROUPS) {
      return null;
    }
    System.arraycopy(tail, 0, head, GROUPS - after, after);
    return address(head);
  }

  /// Parses groups separated by single colons, the last of which may be a dotted address. Returns
  /// the number of groups; -1 when the text is invalid.
  private static int groups(String text, int[] into) {
    int count = 0;
    int at = 0;
    while (at < text.length()) {
      int colon = text.indexOf(':', at);
      int end = colon < 0 ? text.length() : colon;
      if (colon < 0 && text.indexOf('.', at) >= 0) {
        long bits = v4(text, at);
        if (bits < 0 || count > GROUPS - 2) {
          return -1;
        }
        into[count] = (int) (bits >>> 16);
        into[count + 1] = (int) (bits & 0xffff);
        return count + 2;
      }
      int value = hex(text, at, end);
      if (value < 0 || count == GROUPS || end == text.length() - 1) {
        return -1;
      }
      into[count++] = value;
      at = end + 1;
    }
    return count;
  }

  private static int hex(String text, int from, int to) {
    if (to <= from || to - from > 4) {
      return -1;
    }
    int value = 0;
    for (int i = from; i < to; i++) {
      int digit = Character.digit(text.charAt(i), 16);
      if (digit < 0 || text.charAt(i) > 'f') {
        return -1;
      }
      value = value << 4 | digit;
    }
    return value;
  }

  private static ClientAddress address(int[] groups) {
    long high = 0;
    long low = 0;
    for (int i = 0; i < 4; i++) {
      high = high << 16 | groups[i];
      low = low << 16 | groups[i + 4];
    }
    return new ClientAddress(high, low);
  }

  static String writeV4(int bits) {
    return (bits >>> 24)
        + "."
        + (bits >>> 16 & 255)
        + "."
        + (bits >>> 8 & 255)
        + "."
        + (bits & 255);
  }

  static String writeV6(long high, long low) {
    int from = -1;
    int length = 1;
    for (int i = 0; i < GROUPS; i++) {
      int run = 0;
      while (i + run < GROUPS && group(high, low, i + run) == 0) {
        run++;
      }
      if (run > length) {
        from = i;
        length = run;
      }
      i += run;
    }
    StringBuilder text = new StringBuilder(40);
    for (int i = 0; i < GROUPS; i++) {
      if (i == from) {
        text.append("::");
        i += length - 1;
        continue;
      }
      if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
        text.append(':');
      }
      text.append(Integer.toHexString(group(high, low, i)));
    }
    return text.toString();
  }

  private static int group(long high, long low, int index) {
    return (int) ((index < 4 ? high : low) >>> (48 - 16 * (index & 3)) & 0xffff);
  }
}
