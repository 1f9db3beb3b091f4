package fairgate.gate.risk;

import fairgate.kernel.Caller;
import fairgate.kernel.DeviceId;
import fairgate.kernel.KeyRing;
import org.jspecify.annotations.Nullable;

/// Keyed hashes of people and devices for the decision log: 22 characters of base64url that reveal
/// nothing without the server's master key.
public record Subjects(KeyRing keys) {
  private static final String SUBJECT = "risk-subject";

  /// The hashes of one decision.
  ///
  /// @param subject of the person or device
  /// @param device within the sale, as orders have it; null without a device
  /// @param network of the client's address
  public record Hashes(String subject, @Nullable String device, String network) {}

  Hashes of(String sale, Caller caller) {
    return new Hashes(subject(caller), device(sale, caller), network(caller));
  }

  /// The subject of a request: its account, else its device, else its address. The same in all
  /// sales, so that appeals and earlier decisions of a buyer count.
  public String subject(Caller caller) {
    String account = caller.account();
    if (account != null) {
      return ofAccount(account);
    }
    DeviceId device = caller.device();
    return device != null
        ? keys.fingerprint(SUBJECT, "device|" + device.value())
        : keys.fingerprint(SUBJECT, "address|" + caller.address().text());
  }

  public String ofAccount(String account) {
    return keys.fingerprint(SUBJECT, "account|" + account);
  }

  /// The hash of the client's address, the same in all sales.
  public String network(Caller caller) {
    return keys.fingerprint("risk-network", caller.address().key());
  }

  /// The hash of a device within one sale, as orders have it; null without a device.
  public @Nullable String device(String sale, Caller caller) {
    DeviceId device = caller.device();
    return device == null ? null : keys.fingerprint("device", sale + '|' + device.value());
  }
}
