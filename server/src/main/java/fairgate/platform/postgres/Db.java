package fairgate.platform.postgres;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.vertx.sqlclient.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One open transaction. Calls block; they are for virtual threads, and for one thread at a time.
///
/// Statements are prepared once per connection, so their text must be constant; values go in as
/// `$1`, `$2`, ... and arrays as one value (`unnest($1::text[])`).
public interface Db {
  /// Runs a statement and returns its rows. Throws PostgresRefusal when PostgreSQL refuses it and
  /// ServiceUnavailable when PostgreSQL cannot answer now; either ends the transaction.
  List<Row> query(String sql, @Nullable Object... args);

  /// Runs a statement and returns how many rows it changed. Throws as `query` does.
  @CanIgnoreReturnValue
  int update(String sql, @Nullable Object... args);
}
