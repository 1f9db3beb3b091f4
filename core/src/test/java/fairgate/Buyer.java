package fairgate;

import fairgate.kernel.SessionId;

/// Somebody with a session of their own on a device.
///
/// @param device 22 characters, as a keyed device hash is
/// @param account the signed-in account, or empty
public record Buyer(SessionId session, String device, String account) {
  /// Whose limit counts: the account, else the device.
  public String user() {
    return account.isEmpty() ? device : account;
  }
}
