package fairgate.platform.postgres;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.vertx.sqlclient.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An open transaction. Calls block and must be made on virtual threads, by one thread at a time.
///
/// Statements are prepared once per connection, so their text must be constant. Values are passed
/// as `$1`, `$2`, ..., arrays as one value (`unnest($1::text[])`).
public interface Db {
  /// Runs a statement and returns its rows. Throws PostgresRefusal when PostgreSQL refuses it, and
  /// ServiceUnavailable when PostgreSQL is unavailable; both end the transaction.
  List<Row> query(String sql, @Nullable Object... args);

  /// Runs a statement and returns the number of changed rows. Throws like `query`.
  @CanIgnoreReturnValue
  int update(String sql, @Nullable Object... args);
}
