package fairgate.platform.postgres;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// An open transaction. Calls block and must be made on virtual threads, by one thread at a time.
///
/// Statements are prepared once per connection, so their text must be constant. Values are passed
/// as `$1`, `$2`, ..., arrays as one value (`unnest($1::text[])`).
public interface Db {
  /// Runs a statement and returns its rows. Throws PostgresRefusal when PostgreSQL refuses it, and
  /// ServiceUnavailable when PostgreSQL is unavailable; both end the transaction.
  List<Row> query(String sql, @Nullable Object... args);

  /// The rows of a statement, each read by the function. Throws like `query`.
  default <T> List<T> list(String sql, Function<Row, T> read, @Nullable Object... args) {
    return query(sql, args).stream().map(read).toList();
  }

  /// The first row of a statement; empty without one. Throws like `query`.
  default <T> Optional<T> first(String sql, Function<Row, T> read, @Nullable Object... args) {
    return query(sql, args).stream().findFirst().map(read);
  }

  /// Runs a statement and returns the number of changed rows. Throws like `query`.
  @CanIgnoreReturnValue
  int update(String sql, @Nullable Object... args);
}
