package fairgate.account.identity;

import java.time.Duration;
import java.time.Instant;

/// What asking for a one-time code came to.
public sealed interface SendCodeOutcome {
  /// It is on its way.
  record Sent(Instant expiresAt) implements SendCodeOutcome {}

  /// Too many codes for this number, account or address.
  record TooMany(Duration rest) implements SendCodeOutcome {}

  /// Nobody could send it now.
  record Unsent() implements SendCodeOutcome {}
}
