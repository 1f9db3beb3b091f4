package fairgate.account.oidc;

import fairgate.account.AccountService.LoginOutcome;
import fairgate.account.SignInTickets.Ticket;
import java.net.URI;
import java.time.Duration;

/// The results of the two steps of a sign-in at a provider.
public sealed interface OidcOutcome {
  /// The result of the first step.
  sealed interface Start extends OidcOutcome {}

  /// The result of the second step.
  sealed interface Finish extends OidcOutcome {}

  /// The browser continues at the provider.
  ///
  /// @param ticket belongs into the browser's cookie
  record Redirect(URI to, Ticket ticket) implements Start {}

  /// The settings have no such provider.
  record UnknownProvider() implements Start, Finish {}

  /// The provider does not answer. Nothing was changed.
  ///
  /// @param provider the provider's label
  record Away(String provider, Duration retryAfter) implements Start, Finish {}

  /// Too many sign-ins from this address.
  record TooMany(Duration retryAfter) implements Start, Finish {}

  /// A session was opened.
  ///
  /// @param next a path on our own site; empty for none
  record Entered(LoginOutcome.Granted granted, String next) implements Finish {}

  /// The signed-in account can now sign in with this provider. True for a repeat as well.
  record Linked() implements Finish {}

  /// The person belongs to another account, or the account to another person of this provider.
  ///
  /// @param provider the provider's label
  record Taken(String provider) implements Finish {}

  /// The browser did not start this sign-in, started it too long ago or has finished it already.
  record Stale() implements Finish {}

  /// The person declined, or the provider refused.
  ///
  /// @param provider the provider's label
  record Declined(String provider) implements Finish {}

  /// The provider's answer is not good: a wrong signature, audience, issuer, nonce or time.
  ///
  /// @param provider the provider's label
  record Invalid(String provider) implements Finish {}
}
