package fairgate.app.config;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/// Estimates the entropy of a secret in bits, against an attacker who tries repeats, sequences and
/// common words first.
///
/// The secret is divided into parts from left to right. A repeat of an earlier part, a run such as
/// `aaaa` or `1234`, and a common word cost a few bits, whatever their length. Every other symbol
/// costs the logarithm of its alphabet's size. A random secret keeps nearly all its bits.
final class SecretStrength {
  private static final int SHORTEST_PIECE = 3;
  private static final double WORD_BITS = 8;
  private static final double RUN_BITS = 6;
  private static final List<String> WORDS =
      List.of(
          "password",
          "passwort",
          "qwertyuiop",
          "asdfghjkl",
          "administrator",
          "operator",
          "changeme",
          "fairgate",
          "qwerty",
          "secret",
          "example",
          "default",
          "master",
          "letmein",
          "welcome",
          "change",
          "admin",
          "token",
          "ticket",
          "please",
          "test",
          "demo",
          "prod",
          "key");

  private final int[] symbols;
  private final String words;
  private final double symbolBits;

  private SecretStrength(int[] symbols, String words, double alphabet) {
    this.symbols = symbols;
    this.words = words;
    // A secret with few distinct symbols is not drawn evenly from its whole alphabet.
    double seen = 2.0 * IntStream.of(symbols).distinct().count();
    this.symbolBits = Math.log(Math.min(alphabet, seen)) / Math.log(2);
  }

  /// The estimated entropy of a text, bits.
  static int ofText(String secret) {
    int[] symbols = secret.chars().toArray();
    return new SecretStrength(symbols, secret.toLowerCase(Locale.ROOT), alphabet(secret)).bits();
  }

  /// The estimated entropy of a key, bits. Bytes of readable text are measured as text.
  static int ofBytes(byte[] secret) {
    String text = new String(secret, StandardCharsets.ISO_8859_1);
    if (text.chars().allMatch(c -> c >= ' ' && c < 0x7f)) {
      return ofText(text);
    }
    return new SecretStrength(text.chars().toArray(), "", 256).bits();
  }

  private static double alphabet(String text) {
    if (text.matches("[0-9a-f]*|[0-9A-F]*")) {
      return 16;
    }
    double size = 0;
    size += text.chars().anyMatch(c -> c >= 'a' && c <= 'z') ? 26 : 0;
    size += text.chars().anyMatch(c -> c >= 'A' && c <= 'Z') ? 26 : 0;
    size += text.chars().anyMatch(c -> c >= '0' && c <= '9') ? 10 : 0;
    size += text.matches("[A-Za-z0-9]*") ? 0 : text.matches("[A-Za-z0-9+/=_-]*") ? 2 : 33;
    return Math.max(size, 1);
  }

  private int bits() {
    double bits = 0;
    int at = 0;
    while (at < symbols.length) {
      int run = run(at);
      int repeat = repeat(at);
      int word = word(at);
      int longest = Math.max(run, Math.max(repeat, word));
      if (longest < SHORTEST_PIECE) {
        bits += symbolBits;
        at++;
        continue;
      }
      double cost = longest == word ? WORD_BITS : longest == run ? RUN_BITS : repeatBits(at);
      bits += Math.min(cost, longest * symbolBits);
      at += longest;
    }
    return (int) Math.floor(bits);
  }

  /// The length of the run from here with a constant step of -1, 0 or 1.
  private int run(int from) {
    int end = from + 1;
    while (end < symbols.length
        && symbols[end] - symbols[end - 1] == symbols[from + 1] - symbols[from]
        && Math.abs(symbols[end] - symbols[end - 1]) <= 1) {
      end++;
    }
    return end - from;
  }

  /// The length of the longest part from here that also occurs earlier.
  private int repeat(int from) {
    int longest = 0;
    for (int earlier = 0; earlier < from; earlier++) {
      int length = 0;
      while (from + length < symbols.length
          && symbols[earlier + length] == symbols[from + length]) {
        length++;
      }
      longest = Math.max(longest, length);
    }
    return longest;
  }

  /// Bits for the position and length of a repeat.
  private static double repeatBits(int from) {
    return Math.log(from + 1.0) / Math.log(2) + 2;
  }

  private int word(int from) {
    return WORDS.stream()
        .filter(word -> words.startsWith(word, from))
        .mapToInt(String::length)
        .max()
        .orElse(0);
  }
}
