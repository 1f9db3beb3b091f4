package fairgate.account.identity;

import fairgate.platform.text.Language;

/// The outside service that reaches telephones and knows names. Calls block, and give up after a
/// few seconds.
public interface IdentityVerifier {
  /// Sends a one-time code.
  ///
  /// @param phone in E.164: `+` and digits
  /// @return whether the service has taken it on; true does not mean that it arrives
  boolean sendCode(String phone, String code, Language language);

  /// Whether the identity number is that of the person of this name.
  NameCheck checkName(String name, String idNumber);

  /// The result of a check in a register of persons.
  enum NameCheck {
    MATCHES,
    DIFFERS,
    UNKNOWN
  }
}
