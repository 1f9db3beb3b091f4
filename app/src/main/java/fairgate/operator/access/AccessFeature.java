package fairgate.operator.access;

import fairgate.account.Passwords;
import fairgate.account.PublicOrigin;
import fairgate.account.oidc.OidcExchange;
import fairgate.kernel.Audit;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.KeySeal;
import fairgate.kernel.Role;
import fairgate.platform.postgres.PostgresDatabase;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// Wires operators: their names and roles, sign-in, sessions and tokens.
///
/// @param provider sign-in at the operators' identity provider; empty without one
public record AccessFeature(
    AccessGuard guard,
    OperatorService operators,
    OperatorSignIn signIn,
    Optional<ProviderSignIn> provider,
    OperatorCredentials credentials) {
  private static final String SEAL_PURPOSE = "operator-totp";

  /// The operators' identity provider.
  ///
  /// @param origin to which it sends the browser back
  public record Provider(OidcExchange exchange, PublicOrigin origin) {}

  /// Dependencies of operators.
  ///
  /// @param provider the operators' identity provider; empty for none
  /// @param audit records sign-ins
  public record Dependencies(
      PostgresDatabase database,
      Passwords passwords,
      Optional<Provider> provider,
      KeyRing keys,
      Ids ids,
      Clock clock,
      Audit audit) {}

  public static AccessFeature wire(Config config, Dependencies parts) {
    PostgresOperators store = new PostgresOperators(parts.database());
    OperatorCredentials credentials =
        new OperatorCredentials(
            config,
            new PostgresOperatorSessions(parts.database(), config.idle()),
            parts.keys(),
            parts.ids(),
            parts.clock());
    return new AccessFeature(
        new AccessGuard(credentials, parts.audit()),
        new OperatorService(store, parts.ids(), parts.clock()),
        new OperatorSignIn(
            store,
            credentials,
            parts.passwords(),
            parts.keys(),
            new KeySeal(parts.keys(), parts.ids(), SEAL_PURPOSE),
            parts.audit(),
            parts.clock()),
        parts
            .provider()
            .map(
                provider ->
                    new ProviderSignIn(
                        provider,
                        new PostgresOperatorIdentities(parts.database()),
                        credentials,
                        config.domains(),
                        parts)),
        credentials);
  }

  /// Operators without the server, for the command line.
  public static OperatorService offline(PostgresDatabase database, Ids ids, Clock clock) {
    return new OperatorService(new PostgresOperators(database), ids, clock);
  }

  /// The settings of operators.
  ///
  /// @param sharedToken bearer token for scripts; empty for none
  /// @param sharedRole what the shared token permits
  /// @param idle after which an unused session ends
  /// @param absolute after which every session ends
  /// @param domains the roles of new operators by the domain of their e-mail address, in lower
  ///   case; `owner` is not among them
  public record Config(
      String sharedToken,
      Role sharedRole,
      Duration idle,
      Duration absolute,
      Map<String, Role> domains) {
    public Config {
      domains = Map.copyOf(domains);
    }

    /// Without the token.
    @Override
    public String toString() {
      return "AccessConfig[sharedRole=" + sharedRole + ", idle=" + idle + "]";
    }
  }
}
