package fairgate.redeem.code;

import fairgate.platform.text.TypedCode;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.regex.Pattern;

/// How generated codes look: an optional prefix, then groups of symbols, such as
/// `MHYDET-XXXXXX-XXXX`. Each X becomes a consonant or digit of [CodeAlphabet], so that no code
/// contains a word; the last one is the check character. The first group is the prefix unless it
/// consists of X alone.
///
/// @param prefix letters and digits; empty for none
/// @param groups the X and dashes after it
public record CodeMask(String prefix, String groups) {
  /// The fewest symbols, so that guessing has 28 bits at least to guess.
  public static final int MIN_SYMBOLS = 7;

  private static final Pattern PREFIX = Pattern.compile("[A-Z0-9]{1,12}");
  private static final Pattern GROUPS = Pattern.compile("X+(-X+)*");
  private static final int BYTE = 256;
  private static final int SPARE = 3;
  private static final SecureRandom RANDOM = new SecureRandom();

  public CodeMask {
    if (!prefix.isEmpty() && !PREFIX.matcher(prefix).matches()) {
      throw new IllegalArgumentException("a prefix is 1 to 12 capital letters and digits");
    }
    if (!GROUPS.matcher(groups).matches()) {
      throw new IllegalArgumentException("a mask has groups of X, separated by dashes");
    }
    int symbols = count(groups);
    if (symbols < MIN_SYMBOLS || symbols > CodeAlphabet.MAX_SYMBOLS) {
      throw new IllegalArgumentException(
          "a mask has " + MIN_SYMBOLS + " to " + CodeAlphabet.MAX_SYMBOLS + " X behind its prefix");
    }
  }

  /// Parses a mask. Throws IllegalArgumentException with the reason if it is invalid.
  public static CodeMask of(String text) {
    int cut = text.indexOf('-');
    String first = cut < 0 ? text : text.substring(0, cut);
    boolean symbols = first.chars().allMatch(c -> c == 'X');
    return symbols || cut < 0
        ? new CodeMask("", text)
        : new CodeMask(first, text.substring(cut + 1));
  }

  /// The same mask with another prefix; empty for none.
  public CodeMask withPrefix(String other) {
    return new CodeMask(other, groups);
  }

  /// A new, unpredictable code.
  public String generate() {
    StringBuilder drawn = drawn();
    StringBuilder code = new StringBuilder(toString().length());
    if (!prefix.isEmpty()) {
      code.append(prefix).append('-');
    }
    int next = 0;
    for (int i = 0; i < groups.length(); i++) {
      code.append(groups.charAt(i) == 'X' ? drawn.charAt(next++) : '-');
    }
    return code.toString();
  }

  /// The symbols of a new code. Three of 31 draws have a vowel as their check character and are
  /// discarded.
  private StringBuilder drawn() {
    while (true) {
      StringBuilder drawn = draw(symbols() - 1);
      char check = CodeAlphabet.check(drawn);
      if (CodeAlphabet.DRAWN.indexOf(check) >= 0) {
        return drawn.append(check);
      }
    }
  }

  /// Random symbols, uniformly distributed: bytes beyond the last multiple of 28 are discarded.
  private static StringBuilder draw(int symbols) {
    int size = CodeAlphabet.DRAWN.length();
    int fair = BYTE - BYTE % size;
    StringBuilder drawn = new StringBuilder(symbols + 1);
    byte[] bytes = new byte[symbols + SPARE];
    while (drawn.length() < symbols) {
      RANDOM.nextBytes(bytes);
      for (int i = 0; i < bytes.length && drawn.length() < symbols; i++) {
        int value = Byte.toUnsignedInt(bytes[i]);
        if (value < fair) {
          drawn.append(CodeAlphabet.DRAWN.charAt(value % size));
        }
      }
    }
    return drawn;
  }

  /// The symbols of a code of this mask, whatever its case and separators; empty when it is not of
  /// this mask. They may still be wrong: see [CodeAlphabet#isRight].
  public Optional<String> symbolsOf(String code) {
    String normal = TypedCode.plain(code);
    return normal.startsWith(prefix) && normal.length() == prefix.length() + symbols()
        ? Optional.of(normal.substring(prefix.length()))
        : Optional.empty();
  }

  /// How many symbols a code has, its check character included.
  public int symbols() {
    return count(groups);
  }

  /// How many bits there are to guess: log2 of the number of codes of this mask, of which the check
  /// character leaves one in 31.
  public double bits() {
    double drawn = symbols() * Math.log(CodeAlphabet.DRAWN.length());
    return (drawn - Math.log(CodeAlphabet.SYMBOLS.length())) / Math.log(2);
  }

  /// The mask as it is written in the settings.
  @Override
  public String toString() {
    return prefix.isEmpty() ? groups : prefix + "-" + groups;
  }

  private static int count(String groups) {
    return (int) groups.chars().filter(c -> c == 'X').count();
  }
}
