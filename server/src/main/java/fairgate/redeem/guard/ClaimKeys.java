package fairgate.redeem.guard;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;

/// The names of the Redis keys of one subject, which share a slot; `docs/redis-keys.md` says what
/// each holds.
///
/// @param subject `ip:...`, `device:...` or `order:...`
record ClaimKeys(String subject) {
  private static final int IPV6 = 16;
  private static final int HOUSEHOLD = 8;

  /// Of an address: IPv4 as it is, IPv6 by its first 64 bits, which is what one household has.
  static ClaimKeys ofAddress(String address) {
    return new ClaimKeys("ip:" + household(address));
  }

  static ClaimKeys ofDevice(String device) {
    return new ClaimKeys("device:" + device);
  }

  static ClaimKeys ofOrder(String order) {
    return new ClaimKeys("order:" + order);
  }

  String attempts() {
    return "redeem:attempts:{" + subject + "}";
  }

  String misses() {
    return "redeem:misses:{" + subject + "}";
  }

  String ban() {
    return "redeem:ban:{" + subject + "}";
  }

  private static String household(String address) {
    byte[] bytes;
    try {
      InetAddress parsed = InetAddress.ofLiteral(address);
      bytes = parsed.getAddress();
      if (bytes.length != IPV6) {
        return parsed.getHostAddress();
      }
    } catch (IllegalArgumentException noAddress) {
      return address;
    }
    return HexFormat.of().formatHex(Arrays.copyOf(bytes, HOUSEHOLD)) + "/64";
  }
}
