package fairgate.gate.signal;

import fairgate.kernel.KeyRing;
import java.util.function.UnaryOperator;

/// Builds the names of the Redis keys of signals. Names contain keyed hashes only.
///
/// @param eventPrefix maps a product id to the prefix of its sale's keys
record SignalKeys(KeyRing keyRing, UnaryOperator<String> eventPrefix) {
  /// The hash of a device key, the same in all sales: 22 characters.
  String deviceKeyHash(String thumbprint) {
    return keyRing.fingerprint("device-key", thumbprint);
  }

  /// The prefix of a device key's keys. The braces are part of the name.
  String deviceKey(String hash) {
    return "device_key:{" + hash + "}";
  }

  String proof(String hash, String id) {
    return deviceKey(hash) + ":proof:" + keyRing.fingerprint("device-proof", id);
  }

  /// The hash of a fingerprint within one sale: 22 characters. Equal fingerprints have different
  /// hashes in different sales.
  String fingerprintHash(String product, String fingerprint) {
    return keyRing.fingerprint("browser-fingerprint", product + '|' + fingerprint);
  }

  String fingerprint(String product, String hash) {
    return eventPrefix.apply(product) + ":fp:" + hash;
  }

  /// The short hash of an account or a browser as a member of a set.
  String member(String kind, String id) {
    return keyRing.fingerprint("signal-member", kind + '|' + id).substring(0, 10);
  }
}
