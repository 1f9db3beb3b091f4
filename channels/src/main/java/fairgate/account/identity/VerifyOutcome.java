package fairgate.account.identity;

import java.time.Duration;

/// What showing who one is came to.
public sealed interface VerifyOutcome {
  /// Shown, and bound to the account.
  record Verified(Identity identity) implements VerifyOutcome {}

  /// The code is wrong, used, too old, or was tried too often.
  record WrongCode() implements VerifyOutcome {}

  /// The number is bound to another account, or the account to another number.
  record Taken() implements VerifyOutcome {}

  /// The number is not that of a person of this name.
  record Differs() implements VerifyOutcome {}

  /// Nobody could tell now.
  record Unknown() implements VerifyOutcome {}

  /// Too many tries.
  record TooMany(Duration rest) implements VerifyOutcome {}
}
