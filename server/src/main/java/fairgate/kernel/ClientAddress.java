package fairgate.kernel;

import org.jspecify.annotations.Nullable;

/// An IP address in 128 bits. IPv4 is kept as its mapped form `::ffff:a.b.c.d`, so that the two
/// ways of writing one client are one value; 16 bytes, no look-ups of names, ever.
///
/// @param high the first eight bytes
/// @param low the last eight bytes
public record ClientAddress(long high, long low) {
  /// What a caller without an address counts as: `0.0.0.0`. Nobody can call from there.
  public static final ClientAddress NONE = v4(0);

  private static final long V4 = 0xffffL;
  private static final int LONGEST = 45;

  /// Who usually shares a line: a household or an office of IPv6 has a /56.
  private static final int KEY_BITS = 56;

  private static final int NETWORK_BITS = 48;
  private static final int V4_NETWORK_BITS = AddressBlock.V4_BITS + 24;

  /// The address of these 32 bits.
  static ClientAddress v4(int bits) {
    return new ClientAddress(0, V4 << 32 | (bits & 0xffffffffL));
  }

  /// Reads an address: IPv4 as four decimal numbers without leading zeros, IPv6 as RFC 4291 writes
  /// it, without brackets, port or zone. Null for everything else.
  public static @Nullable ClientAddress parse(String text) {
    if (text.isEmpty() || text.length() > LONGEST) {
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

  /// What one client is counted by: the IPv4 address, or the /56 an IPv6 address lies in, for
  /// within that its owner picks addresses freely.
  public String key() {
    return isV4() ? text() : new AddressBlock(this, KEY_BITS).text();
  }

  /// The network around it, for limits that are wider than one client: /24 of IPv4, /48 of IPv6.
  public AddressBlock network() {
    return new AddressBlock(this, isV4() ? V4_NETWORK_BITS : NETWORK_BITS);
  }

  /// The address as RFC 5952 writes it: lower case, the longest run of zeros left out.
  public String text() {
    return isV4() ? AddressText.writeV4((int) low) : AddressText.writeV6(high, low);
  }

  @Override
  public String toString() {
    return text();
  }
}
