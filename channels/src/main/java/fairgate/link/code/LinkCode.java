package fairgate.link.code;

import java.security.SecureRandom;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// A link's code, in lower case: made here (eight random characters and a check character) or
/// chosen by its owner.
///
/// Made codes use 29 characters that are hard to mistake and, for want of vowels, spell little. 29
/// is prime, and the weights of the nine places differ: as with ISBN-10, every wrong character and
/// every two swapped ones are noticed, without asking anybody. 39 bits of chance.
///
/// @param value 3 to 64 of `a-z`, `0-9`, `-`, `_`; the first a letter or digit
public record LinkCode(String value) {
  private static final String ALPHABET = "23456789abcdfghjkmnpqrstvwxyz";
  private static final int RANDOM = 8;
  private static final int MADE = RANDOM + 1;
  private static final int MAX_LENGTH = 64;
  private static final Pattern SHAPE = Pattern.compile("[a-z0-9][a-z0-9_-]{2,63}");
  private static final byte[] DIGITS = digits();
  private static final byte NONE = 0;
  private static final byte PLAIN = 1;
  private static final byte UPPER = 2;

  /// The kind of each character. A table, because every redirect uses it.
  private static final byte[] KINDS = kinds();

  /// The code that was typed, scanned or followed, in any case; empty if it cannot be one: an
  /// invalid format, or a generated code with a typing error.
  public static Optional<LinkCode> read(String text) {
    int length = text.length();
    if (length < 3 || length > MAX_LENGTH || text.charAt(0) == '-' || text.charAt(0) == '_') {
      return Optional.empty();
    }
    boolean upper = false;
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      byte kind = c < KINDS.length ? KINDS[c] : NONE;
      if (kind == NONE) {
        return Optional.empty();
      }
      upper |= kind == UPPER;
    }
    String lower = upper ? text.toLowerCase(Locale.ROOT) : text;
    return isMistyped(lower) ? Optional.empty() : Optional.of(new LinkCode(lower));
  }

  public static LinkCode random(SecureRandom chance) {
    char[] code = new char[MADE];
    int sum = 0;
    for (int i = 0; i < RANDOM; i++) {
      int digit = chance.nextInt(ALPHABET.length());
      code[i] = ALPHABET.charAt(digit);
      sum += (MADE - i) * digit;
    }
    code[RANDOM] = ALPHABET.charAt(Math.floorMod(-sum, ALPHABET.length()));
    return new LinkCode(new String(code));
  }

  /// Whether an owner may choose this text, in any case, as far as its form goes.
  public static boolean isCustom(String text) {
    return SHAPE.matcher(text.toLowerCase(Locale.ROOT)).matches();
  }

  /// Whether the text has the length and the characters of a made code, but not its check
  /// character.
  public static boolean isMistyped(String text) {
    if (text.length() != MADE) {
      return false;
    }
    int sum = 0;
    for (int i = 0; i < MADE; i++) {
      char c = text.charAt(i);
      int digit = c < DIGITS.length ? DIGITS[c] : -1;
      if (digit < 0) {
        return false;
      }
      sum += (MADE - i) * digit;
    }
    return sum % ALPHABET.length() != 0;
  }

  private static byte[] kinds() {
    byte[] kinds = new byte['z' + 1];
    for (char c : "abcdefghijklmnopqrstuvwxyz0123456789-_".toCharArray()) {
      kinds[c] = PLAIN;
    }
    for (char c = 'A'; c <= 'Z'; c++) {
      kinds[c] = UPPER;
    }
    return kinds;
  }

  private static byte[] digits() {
    byte[] digits = new byte[128];
    java.util.Arrays.fill(digits, (byte) -1);
    for (int i = 0; i < ALPHABET.length(); i++) {
      digits[ALPHABET.charAt(i)] = (byte) i;
    }
    return digits;
  }
}
