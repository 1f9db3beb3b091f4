package fairgate.platform.postgres;

import io.vertx.pgclient.PgException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/// PostgreSQL refused a statement because of its content: a constraint or a type. Nothing has
/// changed, and a repeat is refused again.
public final class PostgresRefusal extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final String sqlState;
  private final @Nullable String constraint;

  PostgresRefusal(PgException cause) {
    super(cause.getErrorMessage() + " (" + cause.getSqlState() + ")", cause);
    this.sqlState = String.valueOf(cause.getSqlState());
    this.constraint = cause.getConstraint();
  }

  /// The SQLSTATE, five characters.
  public String sqlState() {
    return sqlState;
  }

  /// The violated constraint; null when there is none.
  public @Nullable String constraint() {
    return constraint;
  }

  /// Whether a row with this key exists already.
  public boolean duplicate() {
    return sqlState.equals("23505");
  }
}
