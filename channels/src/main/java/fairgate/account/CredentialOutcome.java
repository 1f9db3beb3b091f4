package fairgate.account;

import java.time.Duration;

/// The result of changing a password or deleting an account.
public sealed interface CredentialOutcome {
  /// Done.
  ///
  /// @param sessions how many were ended
  record Done(int sessions) implements CredentialOutcome {}

  /// The password given as proof is not the account's.
  record WrongPassword() implements CredentialOutcome {}

  /// Too many wrong tries: the caller may try again after so long.
  record TooMany(Duration retryAfter) implements CredentialOutcome {}

  /// The new password is not to be had.
  ///
  /// @param problem the rest of a message key after `invalid.`
  record PasswordRefused(String problem) implements CredentialOutcome {}

  /// The reset token is none, has expired or was used.
  record TokenRefused() implements CredentialOutcome {}

  /// There is no such account any more.
  record Gone() implements CredentialOutcome {}
}
