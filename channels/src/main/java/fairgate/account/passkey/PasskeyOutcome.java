package fairgate.account.passkey;

import fairgate.account.AccountService.LoginOutcome;
import fairgate.account.SignInTickets.Ticket;
import java.time.Duration;

/// The results of registering a passkey, of signing in with one, and of joining a sale with one.
public sealed interface PasskeyOutcome {
  /// A challenge for the browser.
  ///
  /// @param options the argument of the browser's call, as JSON
  /// @param ticket belongs into the browser's cookie
  record Challenge(String options, Ticket ticket) implements PasskeyOutcome {}

  /// The account has a new passkey.
  record Registered(Passkey passkey) implements PasskeyOutcome {}

  /// A session was opened.
  record Entered(LoginOutcome.Granted granted) implements PasskeyOutcome {}

  /// A passkey has signed the challenge for joining a sale.
  record Proven() implements PasskeyOutcome {}

  /// The browser has no challenge, or it has expired or been used.
  record Stale() implements PasskeyOutcome {}

  /// The authenticator's answer is not good, or nobody here has this passkey.
  record Refused() implements PasskeyOutcome {}

  /// The account has the maximum number of passkeys.
  record Full(int max) implements PasskeyOutcome {}

  /// Too many attempts from this address, or too many browsers in the sale by this account.
  record TooMany(Duration retryAfter) implements PasskeyOutcome {}

  /// The server has no public address.
  record NoAddress() implements PasskeyOutcome {}
}
