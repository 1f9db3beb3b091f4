package fairgate.account.identity;

import java.time.Duration;
import java.time.Instant;

/// The result of requesting a one-time code.
public sealed interface SendCodeOutcome {
  /// It is on its way.
  record Sent(Instant expiresAt) implements SendCodeOutcome {}

  /// Too many codes for this number, account or address.
  record TooMany(Duration retryAfter) implements SendCodeOutcome {}

  /// The message could not be sent.
  record Unsent() implements SendCodeOutcome {}
}
