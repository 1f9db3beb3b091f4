package fairgate.gate.limit;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.HexFormat;

/// What an address is counted by. Of IPv6 the /56, for within that its owner picks addresses
/// freely; IPv4 written as IPv6 is IPv4.
final class AddressKey {
  private static final String UNKNOWN = "unknown";
  private static final int LONGEST = 45;
  private static final int HOUSE_BYTES = 7;
  private static final int NETWORK_DIGITS = 12;

  private AddressKey() {}

  static String of(String address) {
    if (address.isEmpty() || address.length() > LONGEST || address.indexOf('%') >= 0) {
      return UNKNOWN;
    }
    if (address.indexOf(':') < 0) {
      return isV4(address) ? address : UNKNOWN;
    }
    try {
      InetAddress parsed = InetAddress.ofLiteral(address);
      return parsed instanceof Inet4Address
          ? parsed.getHostAddress()
          : HexFormat.of().formatHex(parsed.getAddress(), 0, HOUSE_BYTES);
    } catch (IllegalArgumentException _) {
      return UNKNOWN;
    }
  }

  /// The network of an address's key.
  static String network(String key) {
    int dot = key.lastIndexOf('.');
    return dot > 0
        ? key.substring(0, dot)
        : key.substring(0, Math.min(NETWORK_DIGITS, key.length()));
  }

  private static boolean isV4(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '.' && (c < '0' || c > '9')) {
        return false;
      }
    }
    return true;
  }
}
