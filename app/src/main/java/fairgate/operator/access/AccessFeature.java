package fairgate.operator.access;

import fairgate.account.Passwords;
import fairgate.kernel.Audit;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.KeySeal;
import fairgate.platform.postgres.PostgresDatabase;
import java.time.Clock;

/// Wires operators: their names and roles, sign-in, sessions and tokens.
public record AccessFeature(
    AccessGuard guard,
    OperatorService operators,
    OperatorSignIn signIn,
    OperatorCredentials credentials) {
  private static final String SEAL_PURPOSE = "operator-totp";

  /// Dependencies of operators.
  ///
  /// @param audit records sign-ins
  public record Dependencies(
      PostgresDatabase database,
      Passwords passwords,
      KeyRing keys,
      Ids ids,
      Clock clock,
      Audit audit) {}

  public static AccessFeature wire(AccessConfig config, Dependencies parts) {
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
        credentials);
  }

  /// Operators without the server, for the command line.
  public static OperatorService offline(PostgresDatabase database, Ids ids, Clock clock) {
    return new OperatorService(new PostgresOperators(database), ids, clock);
  }
}
