package fairgate.kernel;

import java.util.Locale;
import java.util.Optional;

/// The short number of an order, for people: `7K4P-92XM`. It is the end of the order id: 40 bits as
/// eight symbols of Crockford's base 32, which has no I, L, O and U.
///
/// @param tail the last eight characters of the order id
public record OrderNumber(String tail) {
  static final int LENGTH = 8;
  private static final int GROUP = 4;
  private static final int BITS = 5;
  private static final String ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

  public OrderNumber {
    if (tail.length() != LENGTH) {
      throw new IllegalArgumentException("an order number has eight characters");
    }
  }

  /// The number with this value of 40 bits.
  public static OrderNumber of(long value) {
    char[] tail = new char[LENGTH];
    long rest = value;
    for (int i = LENGTH - 1; i >= 0; i--) {
      tail[i] = ALPHABET.charAt((int) (rest & 31));
      rest >>>= BITS;
    }
    return new OrderNumber(new String(tail));
  }

  /// The number in a text as people type it: in any case, with or without hyphens and spaces, and
  /// with O for 0 or I and L for 1. Empty when the text is no order number.
  public static Optional<OrderNumber> parse(String typed) {
    StringBuilder tail = new StringBuilder();
    for (char c : typed.toLowerCase(Locale.ROOT).toCharArray()) {
      char symbol =
          switch (c) {
            case 'o' -> '0';
            case 'i', 'l' -> '1';
            default -> c;
          };
      if (ALPHABET.indexOf(symbol) >= 0) {
        tail.append(symbol);
      } else if (symbol != '-' && symbol != ' ') {
        return Optional.empty();
      }
    }
    return tail.length() == LENGTH
        ? Optional.of(new OrderNumber(tail.toString()))
        : Optional.empty();
  }

  /// The number as people read it: `7K4P-92XM`.
  @Override
  public String toString() {
    String upper = tail.toUpperCase(Locale.ROOT);
    return upper.substring(0, GROUP) + '-' + upper.substring(GROUP);
  }
}
