package fairgate.platform.postgres;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A transaction on one pooled connection.
final class PostgresTransaction implements Db, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresTransaction.class);

  /// Longer than PostgreSQL's own limit for a statement: after this time PostgreSQL is unreachable.
  private static final Duration AWAIT_TIMEOUT = PostgresDatabase.STATEMENT_LIMIT.plusSeconds(1);

  private final SqlConnection connection;
  private boolean failed;
  private boolean committed;

  private PostgresTransaction(SqlConnection connection) {
    this.connection = connection;
  }

  static PostgresTransaction begin(Pool pool, String begin) {
    CompletableFuture<SqlConnection> connecting =
        pool.getConnection().toCompletionStage().toCompletableFuture();
    SqlConnection connection;
    try {
      connection = await(connecting);
    } catch (RuntimeException failure) {
      // Returns a connection that arrives late to the pool.
      var _ = connecting.thenAccept(SqlConnection::close);
      // A refused connection is never a refusal of the work.
      throw PostgresFailures.unavailable(failure);
    }
    // Without a handler, the client prints a stack trace when PostgreSQL ends the connection. The
    // statement that needs it fails by itself.
    connection.exceptionHandler(
        cause -> LOG.warn("A PostgreSQL connection has ended; cause={}", cause.toString()));
    PostgresTransaction transaction = new PostgresTransaction(connection);
    // Not awaited: the first statement follows in the pipeline and fails if this fails.
    var _ = connection.query(begin).execute();
    return transaction;
  }

  @Override
  public List<Row> query(String sql, @Nullable Object... args) {
    return PostgresDatabase.list(execute(sql, args));
  }

  @Override
  public int update(String sql, @Nullable Object... args) {
    return execute(sql, args).rowCount();
  }

  private RowSet<Row> execute(String sql, @Nullable Object... args) {
    if (failed) {
      throw new IllegalStateException("the transaction has already failed");
    }
    try {
      return await(connection.preparedQuery(sql).execute(PostgresDatabase.tuple(args)));
    } catch (RuntimeException failure) {
      failed = true;
      throw failure;
    }
  }

  void commit() {
    if (failed) {
      throw new IllegalStateException("a failed transaction cannot be committed");
    }
    // No rollback from here on: PostgreSQL decides the outcome.
    committed = true;
    var _ = await(connection.query("COMMIT").execute());
  }

  @Override
  public void close() {
    if (committed) {
      var _ = connection.close();
      return;
    }
    // The connection returns to the pool only after the reply, so that its next user does not
    // inherit an open transaction.
    var _ = connection.query("ROLLBACK").execute().onComplete(_ -> connection.close());
  }

  private static <T> T await(Future<T> future) {
    return await(future.toCompletionStage().toCompletableFuture());
  }

  private static <T> T await(CompletableFuture<T> future) {
    try {
      return future.get(AWAIT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw PostgresFailures.of(cause == null ? e : cause);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("postgresql does not answer", Duration.ofSeconds(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailable("interrupted while waiting for postgresql", Duration.ZERO);
    }
  }
}
