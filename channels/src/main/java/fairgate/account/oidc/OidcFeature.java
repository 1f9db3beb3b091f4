package fairgate.account.oidc;

import fairgate.account.AccountFeature;
import fairgate.account.Budgets;
import fairgate.account.SignInTickets;
import fairgate.kernel.KeyRing;
import fairgate.platform.postgres.PostgresDatabase;
import java.time.Clock;
import java.time.Duration;

/// Wires sign-in with OpenID Connect. Its routes are pages of `app`.
public final class OidcFeature implements AutoCloseable {
  /// The deadline of one call to a provider.
  private static final Duration TIMEOUT = Duration.ofSeconds(3);

  /// The longest that a page waits: two calls for the metadata, one for the token, one for the
  /// keys.
  public static final Duration LONGEST = TIMEOUT.multipliedBy(5);

  private final OidcHttp http;
  private final OidcService service;
  private final SignInTickets tickets;
  private final Budgets budgets;

  private OidcFeature(OidcConfig config, Dependencies parts) {
    this.http = new OidcHttp(TIMEOUT);
    this.tickets = parts.tickets();
    this.budgets = parts.accounts().budgets();
    this.service =
        new OidcService(
            config.providers().stream()
                .map(
                    provider ->
                        exchange(
                            provider,
                            OidcService.TICKET,
                            "/account/oidc/" + provider.name() + "/callback"))
                .toList(),
            new PostgresProviderLinks(parts.postgres(), parts.accounts().methods(), parts.clock()),
            parts.accounts().methods(),
            budgets,
            parts.keys());
  }

  public record Dependencies(
      AccountFeature accounts,
      SignInTickets tickets,
      PostgresDatabase postgres,
      KeyRing keys,
      Clock clock) {}

  public static OidcFeature wire(OidcConfig config, Dependencies parts) {
    return new OidcFeature(config, parts);
  }

  /// Sign-in at a provider for other purposes than accounts.
  ///
  /// @param ticketKind the kind of its tickets
  /// @param callbackPath the path of its callback on our origin
  public OidcExchange exchange(
      OidcConfig.Provider provider, String ticketKind, String callbackPath) {
    return new OidcExchange(
        new OidcProvider(provider, http, TIMEOUT, System::nanoTime),
        tickets,
        budgets,
        ticketKind,
        callbackPath);
  }

  public OidcService service() {
    return service;
  }

  public SignInTickets tickets() {
    return tickets;
  }

  @Override
  public void close() {
    http.close();
  }
}
