package fairgate.account;

import fairgate.kernel.VisibleCharacters;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The rules for passwords: 8 to 128 characters of any script, and not a common password.
///
/// Following NIST SP 800-63B there are no composition rules. Passwords are normalized to NFC, as in
/// RFC 8265: the same keys on two machines give the same password, and nothing else changes.
final class PasswordRules {
  static final int SHORTEST = 8;
  static final int MAX_LENGTH = 128;

  private static final String LIST = "common_passwords.txt";

  /// Rows of keys and of counting; any run of them, in either direction, is guessed.
  private static final String[] RUNS = {
    "01234567890123456789",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
    "qwertzuiop",
    "azertyuiop",
    "qazwsxedcrfvtgbyhnujm",
    "1q2w3e4r5t6y7u8i9o0p",
    "!@#$%^&*()"
  };

  private final Set<String> common;

  PasswordRules() {
    this.common = read();
  }

  static String normalized(String password) {
    return Normalizer.normalize(password, Normalizer.Form.NFC);
  }

  /// Whether it has 8 to 128 characters.
  static boolean isLongEnough(String normalized) {
    int length = normalized.codePointCount(0, normalized.length());
    return length >= SHORTEST && length <= MAX_LENGTH;
  }

  /// The fault of a new password, as the rest of a message key; empty when there is none.
  ///
  /// @param nameKey the user name as it is compared
  Optional<String> problemOf(String normalized, String nameKey) {
    return isLongEnough(normalized) ? problem(normalized, nameKey) : Optional.of("password_length");
  }

  /// The problem of a new password of valid length, as the rest of a message key; empty if there is
  /// none.
  ///
  /// @param nameKey the user name in the form for comparison
  Optional<String> problem(String normalized, String nameKey) {
    if (normalized.codePoints().noneMatch(VisibleCharacters::isVisible)) {
      return Optional.of("password_blank");
    }
    String lower = Normalizer.normalize(normalized, Normalizer.Form.NFKC).toLowerCase(Locale.ROOT);
    if (isCommon(lower)) {
      return Optional.of("password_common");
    }
    String reversed = new StringBuilder(nameKey).reverse().toString();
    // A short name inside a long password does not make it weak.
    boolean telling = nameKey.length() * 2 >= lower.length();
    boolean alike = lower.contains(nameKey) || lower.contains(reversed) || nameKey.contains(lower);
    return telling && alike ? Optional.of("password_like_name") : Optional.empty();
  }

  private boolean isCommon(String lower) {
    String plain = plain(lower);
    String bare = withoutAffixes(lower);
    return common.contains(lower)
        || common.contains(plain)
        || common.contains(bare)
        || common.contains(plain(bare))
        || isRun(lower)
        || isRun(bare)
        || isRepeated(lower);
  }

  /// The text without leading and trailing digits and signs, which people add to satisfy rules.
  private static String withoutAffixes(String text) {
    return text.replaceAll("^[^\\p{L}]+|[^\\p{L}]+$", "");
  }

  /// The text with letters in place of the signs that imitate them.
  private static String plain(String text) {
    return text.replace('0', 'o')
        .replace('1', 'i')
        .replace('!', 'i')
        .replace('3', 'e')
        .replace('4', 'a')
        .replace('@', 'a')
        .replace('5', 's')
        .replace('$', 's')
        .replace('7', 't');
  }

  private static boolean isRun(String text) {
    if (text.length() < 4) {
      return false;
    }
    String reversed = new StringBuilder(text).reverse().toString();
    for (String run : RUNS) {
      if (run.contains(text) || run.contains(reversed)) {
        return true;
      }
    }
    return false;
  }

  /// Whether it is a repeated short sequence: `aaaaaaaa`, `abcabcabc`, `12121212`.
  private static boolean isRepeated(String text) {
    for (int piece = 1; piece <= Math.min(4, text.length() / 2); piece++) {
      boolean same = true;
      for (int i = piece; i < text.length() && same; i++) {
        same = text.charAt(i) == text.charAt(i - piece);
      }
      if (same) {
        return true;
      }
    }
    return false;
  }

  private static Set<String> read() {
    try (InputStream in = PasswordRules.class.getResourceAsStream(LIST)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + LIST);
      }
      try (BufferedReader reader =
          new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
        return reader
            .lines()
            .filter(line -> !line.startsWith("#"))
            .flatMap(line -> java.util.stream.Stream.of(line.split(" ", -1)))
            .filter(word -> !word.isEmpty())
            .collect(Collectors.toUnmodifiableSet());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
