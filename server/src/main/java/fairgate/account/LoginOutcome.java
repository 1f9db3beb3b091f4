package fairgate.account;

import java.time.Duration;
import java.time.Instant;

/// What a try to sign in came to.
public sealed interface LoginOutcome {
  /// Signed in.
  ///
  /// @param token told this once; whoever has it is the account
  record Granted(Account account, String token, Instant expiresAt) implements LoginOutcome {}

  /// There is no such account, or its password is another: nobody is told which.
  record Refused() implements LoginOutcome {}

  /// Too many wrong tries at this name: nobody may try it for so long.
  record TooMany(Duration rest) implements LoginOutcome {}
}
