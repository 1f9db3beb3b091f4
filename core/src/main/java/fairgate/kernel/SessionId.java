package fairgate.kernel;

/// The id of a buyer's place in a queue: a random UUID in lower case, 36 characters. It is a bearer
/// secret.
public record SessionId(String value) {
  private static final int LENGTH = 36;
  private static final boolean[] HEX = new boolean[128];

  static {
    "0123456789abcdef".chars().forEach(c -> HEX[c] = true);
  }

  public SessionId {
    if (!isValid(value)) {
      throw new IllegalArgumentException("a session id is a lower-case UUID of 36 characters");
    }
  }

  public static boolean isValid(String text) {
    return text.length() == LENGTH
        && isHex(text, 0, 8)
        && isHex(text, 9, 13)
        && isHex(text, 14, 18)
        && isHex(text, 19, 23)
        && isHex(text, 24, LENGTH);
  }

  /// Whether the range consists of hexadecimal digits and follows a dash, unless it is at the
  /// start.
  private static boolean isHex(String text, int from, int to) {
    if (from > 0 && text.charAt(from - 1) != '-') {
      return false;
    }
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c >= HEX.length || !HEX[c]) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return value;
  }
}
