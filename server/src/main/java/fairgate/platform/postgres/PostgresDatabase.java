package fairgate.platform.postgres;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The server's door to PostgreSQL: a pool of pipelined connections that comes back by itself when
/// PostgreSQL does.
///
/// Every call ends within a few seconds: with its result, with `PostgresRefusal` (PostgreSQL
/// refused it, nothing happened) or with `ServiceUnavailable` (the outcome is unknown).
public final class PostgresDatabase implements AutoCloseable {
  /// After which PostgreSQL itself gives a statement up.
  static final Duration STATEMENT_LIMIT = Duration.ofSeconds(5);

  private static final int CONNECT_MS = 2_000;
  private static final int POOL_WAIT_S = 3;

  private final PostgresSettings settings;
  private final Pool pool;

  private PostgresDatabase(PostgresSettings settings, Pool pool) {
    this.settings = settings;
    this.pool = pool;
  }

  /// A unit of work inside one transaction.
  @FunctionalInterface
  public interface Work<T extends @Nullable Object> {
    T run(Db db);
  }

  /// Makes the pool. Connects on first use, so it never fails here.
  public static PostgresDatabase open(Vertx vertx, PostgresSettings settings) {
    String limit = Long.toString(STATEMENT_LIMIT.toMillis());
    PgConnectOptions to =
        new PgConnectOptions()
            .setHost(settings.host())
            .setPort(settings.port())
            .setUser(settings.user())
            .setPassword(settings.password())
            .setDatabase(settings.database())
            .setCachePreparedStatements(true)
            .addProperty("application_name", "fairgate")
            .addProperty("statement_timeout", limit)
            .addProperty("lock_timeout", limit)
            // A plan made while a table was empty reads it whole for ever after.
            .addProperty("plan_cache_mode", "force_custom_plan")
            .addProperty("idle_in_transaction_session_timeout", "15000");
    PoolOptions options =
        new PoolOptions()
            .setMaxSize(settings.poolSize())
            .setConnectionTimeout(POOL_WAIT_S)
            .setConnectionTimeoutUnit(TimeUnit.SECONDS);
    Pool pool =
        PgBuilder.pool()
            .with(options)
            .with(new NetClientOptions().setConnectTimeout(CONNECT_MS).setTcpKeepAlive(true))
            .connectingTo(to)
            .using(vertx)
            .build();
    return new PostgresDatabase(settings, pool);
  }

  /// Brings the schema up to date; a schema that is costs one query. Blocks. Safe to run on several
  /// nodes at the same time.
  public void migrate() {
    new Migrations(settings, this).run();
  }

  /// Runs the work in one transaction (READ COMMITTED) and commits it, or rolls it back when the
  /// work throws. Blocks: call it on a virtual thread, never on an event loop. When it throws
  /// ServiceUnavailable the transaction may have been committed nevertheless.
  public <T extends @Nullable Object> T tx(Work<T> work) {
    return run("BEGIN", work);
  }

  /// Runs the work on one unchanging picture of the database, without the right to write.
  public <T extends @Nullable Object> T reading(Work<T> work) {
    return run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work);
  }

  private <T extends @Nullable Object> T run(String begin, Work<T> work) {
    if (Context.isOnEventLoopThread()) {
      throw new IllegalStateException("a transaction would block the event loop");
    }
    try (PostgresTransaction transaction = PostgresTransaction.begin(pool, begin)) {
      T result = work.run(transaction);
      transaction.commit();
      return result;
    }
  }

  /// Runs one statement by itself, without blocking. Fails as `Db.query` throws.
  public Future<List<Row>> query(String sql, @Nullable Object... args) {
    return pool.preparedQuery(sql)
        .execute(tuple(args))
        .map(PostgresDatabase::rows)
        .recover(failure -> Future.failedFuture(PostgresFailures.of(failure)));
  }

  /// Completes when PostgreSQL answers.
  public Future<Void> check() {
    return query("SELECT 1").mapEmpty();
  }

  /// Whether the schema could be made here. Fails as `query` does.
  public Future<PostgresFitness> fitness() {
    return query(PostgresFitness.LOOK).map(rows -> PostgresFitness.of(rows.getFirst()));
  }

  /// Closes every connection; blocks a little.
  @Override
  public void close() {
    pool.close().await();
  }

  static Tuple tuple(@Nullable Object... args) {
    Tuple tuple = Tuple.tuple();
    for (Object arg : args) {
      tuple.addValue(arg);
    }
    return tuple;
  }

  static List<Row> rows(RowSet<Row> set) {
    List<Row> rows = new ArrayList<>(set.size());
    set.forEach(rows::add);
    return rows;
  }
}
