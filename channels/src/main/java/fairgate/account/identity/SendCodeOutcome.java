package fairgate.account.identity;

import java.time.Duration;
import java.time.Instant;

/// The result of requesting a one-time code.
public sealed interface SendCodeOutcome {
  /// It is on its way.
  record Sent(Instant expiresAt) implements SendCodeOutcome {}

  /// It will be sent as soon as the sending service works again, if that is in time.
  record Late(Instant expiresAt) implements SendCodeOutcome {}

  /// Too many codes for this contact, account, address or network, or in all.
  record TooMany(Duration retryAfter) implements SendCodeOutcome {}

  /// No codes are sent to telephones of this country.
  record CountryRefused() implements SendCodeOutcome {}

  /// Too many messages wait already.
  record Unsent(Duration retryAfter) implements SendCodeOutcome {}
}
