package fairgate.gate.risk;

import fairgate.kernel.Caller;
import fairgate.kernel.DeviceId;
import fairgate.kernel.KeyRing;
import org.jspecify.annotations.Nullable;

/// Keyed hashes of people and devices for the decision log: 22 characters of base64url that reveal
/// nothing without the server's master key.
public final class Subjects {
  private final KeyRing keys;

  public Subjects(KeyRing keys) {
    this.keys = keys;
  }

  /// The subject of a request: its user, else its account, else its device, else its address. The
  /// same in all sales, so that appeals and earlier orders of a buyer count.
  public String subject(@Nullable String user, Caller caller) {
    if (user != null) {
      return keys.fingerprint("risk-subject", "user|" + user);
    }
    if (caller.account() != null) {
      return keys.fingerprint("risk-subject", "user|account:" + caller.account());
    }
    DeviceId device = caller.device();
    return device != null
        ? keys.fingerprint("risk-subject", "device|" + device.value())
        : keys.fingerprint("risk-subject", "address|" + caller.address().text());
  }

  /// The hash of a device within one sale; null without a device.
  public @Nullable String device(String sale, Caller caller) {
    DeviceId device = caller.device();
    return device == null ? null : keys.fingerprint("risk-device", sale + '|' + device.value());
  }
}
