package fairgate.ticket;

import fairgate.kernel.Ids;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;

/// The id of a ticket: 60 random bits as twelve symbols of Crockford's base 32, which has no I, L,
/// O and U. People read and type it as `7K4P-92XM-3TQA`.
///
/// @param value in lower case
public record TicketId(String value) {
  static final int LENGTH = 12;
  private static final int GROUP = 4;
  private static final int BITS = 5;
  private static final String ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

  public TicketId {
    if (!isValid(value)) {
      throw new IllegalArgumentException("a ticket id is twelve symbols");
    }
  }

  static TicketId random(Ids ids) {
    long bits = ByteBuffer.wrap(Base64.getUrlDecoder().decode(ids.nonce())).getLong();
    char[] text = new char[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      text[i] = ALPHABET.charAt((int) (bits >>> (i * BITS)) & 31);
    }
    return new TicketId(new String(text));
  }

  /// Whether the text is an id in lower case, without separators.
  static boolean isValid(String text) {
    return text.length() == LENGTH && text.chars().allMatch(c -> ALPHABET.indexOf(c) >= 0);
  }

  /// The id in a text as people type it: in any case, with or without hyphens and spaces, and with
  /// O for 0 or I and L for 1. Empty when the text is no id.
  public static Optional<TicketId> parse(String typed) {
    String plain =
        typed
            .toLowerCase(Locale.ROOT)
            .replace("-", "")
            .replace(" ", "")
            .replace('o', '0')
            .replace('i', '1')
            .replace('l', '1');
    return isValid(plain) ? Optional.of(new TicketId(plain)) : Optional.empty();
  }

  @Override
  public String toString() {
    String upper = value.toUpperCase(Locale.ROOT);
    return upper.substring(0, GROUP)
        + '-'
        + upper.substring(GROUP, 2 * GROUP)
        + '-'
        + upper.substring(2 * GROUP);
  }
}
