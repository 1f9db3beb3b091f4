package fairgate.platform.postgres;

import io.vertx.pgclient.PgException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/// PostgreSQL understood a statement and refused it for what it says: a constraint, a type, a
/// missing table. Nothing has changed, and a repeat is refused again.
public final class PostgresRefusal extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final String sqlState;
  private final @Nullable String constraint;

  PostgresRefusal(PgException cause) {
    super(cause.getErrorMessage() + " (" + cause.getSqlState() + ")", cause);
    this.sqlState = String.valueOf(cause.getSqlState());
    this.constraint = cause.getConstraint();
  }

  /// The five characters of the SQLSTATE.
  public String sqlState() {
    return sqlState;
  }

  /// The constraint that was broken, if it was one.
  public @Nullable String constraint() {
    return constraint;
  }

  /// Whether a row with this key exists already.
  public boolean duplicate() {
    return sqlState.equals("23505");
  }
}
