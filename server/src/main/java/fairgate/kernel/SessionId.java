package fairgate.kernel;

/// The id of a buyer's place: a random UUID in lower case, 36 characters. Knowing it is owning it.
public record SessionId(String value) {
  private static final int LENGTH = 36;

  public SessionId {
    if (!isValid(value)) {
      throw new IllegalArgumentException("a session id is a lower-case UUID of 36 characters");
    }
  }

  /// Whether the text is a session id.
  public static boolean isValid(String text) {
    if (text.length() != LENGTH) {
      return false;
    }
    for (int i = 0; i < LENGTH; i++) {
      char c = text.charAt(i);
      boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
      boolean hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
      if (dash ? c != '-' : !hex) {
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
