package fairgate.gate.challenge;

/// Strict lower-case hexadecimal.
final class Hex {
  private Hex() {}

  /// Whether every character is `0`-`9` or `a`-`f`.
  static boolean isLower(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        return false;
      }
    }
    return true;
  }
}
