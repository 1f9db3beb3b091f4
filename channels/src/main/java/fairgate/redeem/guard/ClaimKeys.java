package fairgate.redeem.guard;

import fairgate.kernel.ClientAddress;

/// The Redis keys of one subject, which share a slot; `docs/redis-keys.md` describes their values.
///
/// @param subject `ip:...`, `device:...`, `name:...` or `order:...`
record ClaimKeys(String subject) {
  /// The keys of an address: an IPv4 address, or the /56 of an IPv6 address.
  static ClaimKeys ofAddress(String address) {
    return new ClaimKeys("ip:" + client(address));
  }

  static String client(String address) {
    ClientAddress parsed = ClientAddress.parse(address);
    return parsed == null ? address : parsed.key();
  }

  static ClaimKeys ofDevice(String device) {
    return new ClaimKeys("device:" + device);
  }

  static ClaimKeys ofName(String name) {
    return new ClaimKeys("name:" + name);
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
}
