package fairgate.account.identity;

import java.time.Duration;
import java.time.Instant;

/// What asking for a one-time code came to.
public sealed interface CodeOutcome {
  /// It is on its way.
  record Sent(Instant expiresAt) implements CodeOutcome {}

  /// Too many codes for this number, account or address.
  record TooMany(Duration rest) implements CodeOutcome {}

  /// Nobody could send it now.
  record Unsent() implements CodeOutcome {}
}
