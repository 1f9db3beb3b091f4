package fairgate.platform.postgres;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.pgclient.PgException;
import java.time.Duration;
import java.util.Set;

/// Tells "PostgreSQL said no" from "PostgreSQL cannot answer now".
final class PostgresFailures {
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private static final Set<String> PASSING_CLASSES =
      Set.of("08", "28", "3D", "40", "53", "57", "58");
  private static final Set<String> PASSING_STATES =
      Set.of("25006", "25P03", "55000", "55P03", "42501", "42P01", "42703");

  private PostgresFailures() {}

  static RuntimeException of(Throwable failure) {
    if (failure instanceof PgException refused) {
      String state = String.valueOf(refused.getSqlState());
      return passes(state) ? unavailable(failure) : new PostgresRefusal(refused);
    }
    return unavailable(failure);
  }

  static ServiceUnavailable unavailable(Throwable failure) {
    if (failure instanceof ServiceUnavailable known) {
      return known;
    }
    return new ServiceUnavailable("postgresql: " + failure.getMessage(), RETRY_AFTER);
  }

  /// Conditions that pass, by themselves or by an operator's hand, and say nothing of the values
  /// sent: connection (08), login (28), no such database (3D), serialization and deadlock (40),
  /// resources (53), cancelled or shutting down (57), system error (58), a standby (25006), an idle
  /// transaction ended (25P03), a lock not had (55P03), a database closed to connections (55000),
  /// and a schema that is not the one this server expects (42501, 42P01, 42703).
  private static boolean passes(String state) {
    return PASSING_CLASSES.contains(state.substring(0, Math.min(2, state.length())))
        || PASSING_STATES.contains(state);
  }
}
