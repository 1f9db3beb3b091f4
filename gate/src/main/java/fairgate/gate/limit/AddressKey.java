package fairgate.gate.limit;

import fairgate.kernel.ClientAddress;
import java.util.HexFormat;

/// The key under which an address is counted: the IPv4 address, or the /56 of an IPv6 address,
/// because its owner chooses addresses freely within it. Shorter than the address: there may be
/// millions of keys.
final class AddressKey {
  private static final int HOUSE_DIGITS = 14;
  private static final int NETWORK_DIGITS = 12;

  private AddressKey() {}

  /// IPv4 as digits, or the 14 hexadecimal digits of the /56.
  static String of(ClientAddress address) {
    return address.isV4() ? address.text() : digits(address, HOUSE_DIGITS);
  }

  /// The surrounding network: the first three numbers of IPv4 (a /24), or the 12 hexadecimal digits
  /// of the /48.
  static String network(ClientAddress address) {
    if (address.isV4()) {
      String text = address.text();
      return text.substring(0, text.lastIndexOf('.'));
    }
    return digits(address, NETWORK_DIGITS);
  }

  /// The same as a number, for use in memory.
  static long number(ClientAddress address) {
    return address.isV4() ? address.low() & 0xffffffffL : address.high() >>> 8 | Long.MIN_VALUE;
  }

  private static String digits(ClientAddress address, int count) {
    return HexFormat.of().toHexDigits(address.high()).substring(0, count);
  }
}
