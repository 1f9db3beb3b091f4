package fairgate.draw.tlog;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Texts of which only one form is accepted, so that two programs cannot read them differently.
public final class StrictText {
  /// The largest number that JavaScript represents exactly.
  public static final long MAX_NUMBER = (1L << 53) - 1;

  private static final int MAX_DIGITS = 16;

  private StrictText() {}

  /// Parses a decimal number from 0 to [#MAX_NUMBER] without sign and leading zeros.
  public static OptionalLong number(String text) {
    if (text.isEmpty()
        || text.length() > MAX_DIGITS
        || (text.length() > 1 && text.charAt(0) == '0')) {
      return OptionalLong.empty();
    }
    long value = 0;
    for (int i = 0; i < text.length(); i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return OptionalLong.empty();
      }
      value = value * 10 + digit;
    }
    return value > MAX_NUMBER ? OptionalLong.empty() : OptionalLong.of(value);
  }

  /// Parses standard base64 with padding. Bits that the padding leaves over must be zero.
  public static Optional<byte[]> base64(String text) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    return Base64.getEncoder().encodeToString(bytes).equals(text)
        ? Optional.of(bytes)
        : Optional.empty();
  }

  /// Decodes UTF-8; empty if it is anything else.
  public static Optional<String> utf8(byte[] bytes) {
    try {
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  /// The lines of a text. Empty if the last one has no line feed, or if the text is empty.
  public static Optional<List<String>> lines(String text) {
    if (!text.endsWith("\n")) {
      return Optional.empty();
    }
    return Optional.of(List.of(text.substring(0, text.length() - 1).split("\n", -1)));
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
