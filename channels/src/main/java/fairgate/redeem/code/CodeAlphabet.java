package fairgate.redeem.code;

/// The 31 symbols of codes, none of which looks like another, and their check character.
///
/// A code's symbols `v1 ... vn` are right when `1*v1 + 2*v2 + ... + n*vn` is divisible by 31. As 31
/// is prime and the weights up to 30 differ, every wrong symbol and every exchange of two symbols,
/// near or far, is found. (Weighted sums modulo a prime, as ISBN-10 has them.)
public final class CodeAlphabet {
  /// In the order of their values, 0 to 30. The web page uses the same.
  public static final String SYMBOLS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";

  /// The symbols of new codes: no vowels, so that codes contain no words. Codes of earlier versions
  /// have all symbols.
  static final String DRAWN = SYMBOLS.replaceAll("[AEU]", "");

  /// The largest number of symbols for which the check character detects the errors named above.
  public static final int MAX_SYMBOLS = 30;

  private static final int SIZE = SYMBOLS.length();

  private CodeAlphabet() {}

  /// The symbol to put after these, which makes all of them right.
  ///
  /// @param symbols 1 to 29 symbols, all of the alphabet
  public static char check(CharSequence symbols) {
    int weight = symbols.length() + 1;
    if (weight > MAX_SYMBOLS) {
      throw new IllegalArgumentException("at most " + MAX_SYMBOLS + " symbols with their check");
    }
    int sum = sum(symbols);
    for (int value = 0; value < SIZE; value++) {
      if ((sum + weight * value) % SIZE == 0) {
        return SYMBOLS.charAt(value);
      }
    }
    throw new IllegalStateException("31 is prime");
  }

  /// Whether these symbols, the check character at their end, are right.
  public static boolean isRight(CharSequence symbols) {
    int length = symbols.length();
    if (length < 2 || length > MAX_SYMBOLS) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (SYMBOLS.indexOf(symbols.charAt(i)) < 0) {
        return false;
      }
    }
    return sum(symbols) % SIZE == 0;
  }

  private static int sum(CharSequence symbols) {
    int sum = 0;
    for (int i = 0; i < symbols.length(); i++) {
      int value = SYMBOLS.indexOf(symbols.charAt(i));
      if (value < 0) {
        throw new IllegalArgumentException("no symbol of codes at position " + (i + 1));
      }
      sum += (i + 1) * value;
    }
    return sum;
  }
}
