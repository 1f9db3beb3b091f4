package fairgate.account.identity;

import java.time.Duration;

/// The result of a verification.
public sealed interface VerifyOutcome {
  /// Shown, and bound to the account.
  record Verified(Identity identity) implements VerifyOutcome {}

  /// The code is wrong, used, too old, or was tried too often.
  record WrongCode() implements VerifyOutcome {}

  /// The number is bound to another account, or the account to another number.
  record Taken() implements VerifyOutcome {}

  /// The number is not that of a person of this name.
  record NameMismatch() implements VerifyOutcome {}

  /// The verification was not possible now.
  record Unknown() implements VerifyOutcome {}

  /// Too many tries.
  record TooMany(Duration retryAfter) implements VerifyOutcome {}
}
