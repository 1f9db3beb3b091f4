package fairgate.kernel;

import org.jspecify.annotations.Nullable;

/// A block of addresses with a common prefix. Blocks of IPv4 never contain IPv6 addresses, and the
/// reverse.
///
/// @param first the lowest address; bits beyond the prefix are cleared
/// @param bits the length of the prefix in 128 bits: an IPv4 /24 has 120
public record AddressBlock(ClientAddress first, int bits) {
  /// The prefix bits that only identify an address as IPv4.
  public static final int V4_BITS = 96;

  private static final int ALL = 128;

  public AddressBlock {
    if (bits < 0 || bits > ALL) {
      throw new IllegalArgumentException("a prefix has 0 to 128 bits");
    }
    first = new ClientAddress(first.high() & mask(bits), first.low() & mask(bits - 64));
  }

  /// Parses `10.0.0.0/8`, `2001:db8::/32` or a single address. Bits beyond the prefix are cleared.
  /// Null for any other text.
  public static @Nullable AddressBlock parse(String text) {
    int slash = text.indexOf('/');
    ClientAddress first = ClientAddress.parse(slash < 0 ? text : text.substring(0, slash));
    if (first == null) {
      return null;
    }
    if (slash < 0) {
      return new AddressBlock(first, ALL);
    }
    int length = AddressText.decimal(text, slash + 1, text.length(), ALL);
    // `::ffff:10.0.0.0/104` and `10.0.0.0/8` are the same block.
    boolean dotted = text.indexOf(':') < 0;
    if (length < 0 || (dotted && length > ALL - V4_BITS)) {
      return null;
    }
    return new AddressBlock(first, dotted ? V4_BITS + length : length);
  }

  public boolean isV4() {
    return bits >= V4_BITS && first.isV4();
  }

  /// Whether the block is one address.
  public boolean isSingle() {
    return bits == ALL;
  }

  public boolean contains(ClientAddress address) {
    return (address.high() & mask(bits)) == first.high()
        && (address.low() & mask(bits - 64)) == first.low()
        && address.isV4() == isV4();
  }

  /// The block as `10.0.0.0/8`; a single address without a prefix length.
  public String text() {
    return isSingle() ? first.text() : first.text() + '/' + (isV4() ? bits - V4_BITS : bits);
  }

  @Override
  public String toString() {
    return text();
  }

  /// The mask for the leading bits of one half.
  private static long mask(int bits) {
    return bits <= 0 ? 0 : bits >= 64 ? -1 : -1L << (64 - bits);
  }
}
