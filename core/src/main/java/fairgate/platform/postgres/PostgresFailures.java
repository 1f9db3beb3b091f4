package fairgate.platform.postgres;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.tls.TlsRefusal;
import io.vertx.pgclient.PgException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/// Separates refusals of PostgreSQL from temporary failures.
final class PostgresFailures {
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private static final Set<String> TEMPORARY_CLASSES =
      Set.of("08", "28", "3D", "40", "53", "57", "58");
  private static final Set<String> TEMPORARY_STATES =
      Set.of("25006", "25P03", "55000", "55P03", "42501", "42P01", "42703");

  private PostgresFailures() {}

  static RuntimeException of(Throwable failure) {
    if (failure instanceof PgException refused) {
      String state = String.valueOf(refused.getSqlState());
      return isTemporary(state) ? unavailable(failure) : new PostgresRefusal(refused);
    }
    return unavailable(failure);
  }

  static ServiceUnavailable unavailable(Throwable failure) {
    if (failure instanceof ServiceUnavailable known) {
      return known;
    }
    String text = failure.getMessage();
    String state = state(failure);
    if (state.startsWith("28")) {
      return ServiceUnavailable.refused(
          "postgresql refuses the login (%s): correct the user and the password in database.url, or"
                  .formatted(text)
              + " pg_hba.conf");
    }
    if (state.equals("3D000")) {
      return ServiceUnavailable.refused(
          "postgresql does not have the database (%s): create it, or correct database.url"
              .formatted(text));
    }
    return certificate(failure)
        .orElseGet(() -> new ServiceUnavailable("postgresql: " + text, RETRY_AFTER));
  }

  /// A certificate that is not accepted; empty for another failure.
  static Optional<ServiceUnavailable> certificate(Throwable failure) {
    return TlsRefusal.of(failure, "database")
        .map(reason -> ServiceUnavailable.refused("postgresql: " + reason));
  }

  private static String state(Throwable failure) {
    return switch (failure) {
      case PgException refused -> String.valueOf(refused.getSqlState());
      case SQLException refused -> String.valueOf(refused.getSQLState());
      default -> "";
    };
  }

  /// SQL states that do not depend on the values sent and end by themselves or through an operator:
  /// connection (08), login (28), missing database (3D), serialization and deadlock (40), resources
  /// (53), cancellation or shutdown (57), system error (58), a standby (25006), an idle transaction
  /// ended (25P03), a lock timeout (55P03), a database closed to connections (55000), and an
  /// unexpected schema (42501, 42P01, 42703).
  private static boolean isTemporary(String state) {
    return TEMPORARY_CLASSES.contains(state.substring(0, Math.min(2, state.length())))
        || TEMPORARY_STATES.contains(state);
  }
}
