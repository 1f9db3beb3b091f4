package fairgate.kernel;

import org.jspecify.annotations.Nullable;

/// An IP address in 128 bits. IPv4 is stored in its mapped form `::ffff:a.b.c.d`, so that both
/// notations of a client are equal. Never resolves names.
///
/// @param high the first eight bytes
/// @param low the last eight bytes
public record ClientAddress(long high, long low) {
  /// The address of callers without one: `0.0.0.0`. No client can have it.
  public static final ClientAddress NONE = v4(0);

  private static final long V4 = 0xffffL;
  private static final int MAX_LENGTH = 45;

  /// The usual size of one IPv6 subscriber: a household or an office has a /56.
  private static final int KEY_BITS = 56;

  private static final int NETWORK_BITS = 48;
  private static final int V4_NETWORK_BITS = AddressBlock.V4_BITS + 24;

  /// The IPv4 address of these 32 bits.
  static ClientAddress v4(int bits) {
    return new ClientAddress(0, V4 << 32 | (bits & 0xffffffffL));
  }

  /// Parses an address: IPv4 as four decimal numbers without leading zeros, IPv6 by RFC 4291
  /// without brackets, port or zone. Null for any other text.
  public static @Nullable ClientAddress parse(String text) {
    if (text.isEmpty() || text.length() > MAX_LENGTH) {
      return null;
    }
    if (text.indexOf(':') >= 0) {
      return AddressText.v6(text);
    }
    long bits = AddressText.v4(text, 0);
    return bits < 0 ? null : v4((int) bits);
  }

  public boolean isV4() {
    return high == 0 && low >>> 32 == V4;
  }

  /// The key under which a client is counted: the IPv4 address, or the /56 of an IPv6 address,
  /// because its owner chooses addresses freely within it.
  public String key() {
    return isV4() ? text() : new AddressBlock(this, KEY_BITS).text();
  }

  /// The surrounding network, for limits wider than one client: /24 of IPv4, /48 of IPv6.
  public AddressBlock network() {
    return new AddressBlock(this, isV4() ? V4_NETWORK_BITS : NETWORK_BITS);
  }

  /// The address as text by RFC 5952: lower case, with the longest run of zeros omitted.
  public String text() {
    return isV4() ? AddressText.writeV4((int) low) : AddressText.writeV6(high, low);
  }

  @Override
  public String toString() {
    return text();
  }
}
