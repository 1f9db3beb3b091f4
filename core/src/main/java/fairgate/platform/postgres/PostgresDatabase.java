package fairgate.platform.postgres;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.CallTimes;
import fairgate.platform.observe.Metrics;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.run.EngineWait;
import fairgate.platform.tls.TlsPeer;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.NetClientOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.SslMode;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A pool of pipelined connections to PostgreSQL, reconnecting automatically.
///
/// Background work (see `BlockingWork`) uses at most half of the connections, so that requests do
/// not queue behind it. It waits for its turn; a transaction within a transaction does not.
///
/// Every call completes within a few seconds: with its result, with `PostgresRefusal` (PostgreSQL
/// refused it, nothing happened) or with `ServiceUnavailable` (the outcome is unknown).
public final class PostgresDatabase implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresDatabase.class);

  static final Duration STATEMENT_LIMIT = Duration.ofSeconds(5);

  private static final int CONNECT_MS = 2_000;
  private static final int POOL_WAIT_S = 3;

  /// The time limit of a statement outside a transaction: the wait for a connection, PostgreSQL's
  /// statement limit, and one second for the network.
  private static final long CALL_LIMIT_S = POOL_WAIT_S + STATEMENT_LIMIT.toSeconds() + 1;

  /// The time after which the pool closes an unused connection.
  private static final int IDLE_S = 10;

  /// The time after which a connection without incoming data is closed. It is longer than the
  /// limits of statements, idle transactions and unused connections, so it only applies when
  /// packets are lost; without it such a connection would never return to the pool.
  private static final int READ_IDLE_S = 16;

  private static final int CLOSE_S = 2;

  /// How long background work waits for its turn.
  private static final int BACKGROUND_WAIT_S = 10;

  private static final ScopedValue<Boolean> IN_TRANSACTION = ScopedValue.newInstance();

  private final Vertx vertx;
  private final PostgresSettings settings;
  private final Pool pool;
  private final Semaphore background;
  private final CallTimes times = new CallTimes();
  private final ChangePoll changes;

  private PostgresDatabase(Vertx vertx, PostgresSettings settings, Pool pool) {
    this.vertx = vertx;
    this.settings = settings;
    this.pool = pool;
    this.background = new Semaphore(Math.max(1, settings.poolSize() / 2), true);
    this.changes = new ChangePoll(vertx, this);
  }

  /// A unit of work inside one transaction.
  @FunctionalInterface
  public interface Work<T extends @Nullable Object> {
    T run(Db db);
  }

  /// Creates the pool. Connects on first use, so this never fails.
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
            // A generic plan made for an empty table would scan it completely forever.
            .addProperty("plan_cache_mode", "force_custom_plan")
            .addProperty("idle_in_transaction_session_timeout", "15000");
    encrypt(to, settings.encryption());
    PoolOptions options =
        new PoolOptions()
            .setMaxSize(settings.poolSize())
            .setConnectionTimeout(POOL_WAIT_S)
            .setConnectionTimeoutUnit(TimeUnit.SECONDS)
            .setIdleTimeout(IDLE_S)
            .setIdleTimeoutUnit(TimeUnit.SECONDS);
    NetClientOptions net =
        new NetClientOptions()
            .setConnectTimeout(CONNECT_MS)
            .setTcpKeepAlive(true)
            .setReadIdleTimeout(READ_IDLE_S)
            .setIdleTimeoutUnit(TimeUnit.SECONDS);
    Pool pool = PgBuilder.pool().with(options).with(net).connectingTo(to).using(vertx).build();
    return new PostgresDatabase(vertx, settings, pool);
  }

  private static void encrypt(PgConnectOptions to, PostgresSettings.Encryption encryption) {
    ClientSSLOptions verifying = encryption.files().options();
    switch (encryption.mode()) {
      case DISABLE -> to.setSslMode(SslMode.DISABLE);
      case REQUIRE ->
          to.setSslMode(SslMode.REQUIRE)
              .setSslOptions(verifying.setTrustAll(true).setHostnameVerificationAlgorithm(""));
      case VERIFY_FULL -> to.setSslMode(SslMode.VERIFY_FULL).setSslOptions(verifying);
    }
  }

  /// Blocks until PostgreSQL answers: a busy machine may take long for the first connection. Throws
  /// ServiceUnavailable when it does not answer in time, and at once when it refuses the login.
  public void awaitAnswer(Duration limit) {
    var _ = new EngineWait(limit).answer(() -> explained(query("SELECT 1")));
  }

  /// The client library does not tell why a TLS handshake failed: another handshake does.
  private <T> Future<T> explained(Future<T> reply) {
    PostgresSettings.Encryption encryption = settings.encryption();
    return encryption.mode() != PostgresSettings.Mode.VERIFY_FULL
        ? reply
        : reply.recover(
            failure ->
                TlsPeer.postgres(vertx, settings.host(), settings.port(), encryption.files(), true)
                    .transform(
                        peer ->
                            Future.failedFuture(
                                peer.succeeded()
                                    ? failure
                                    : PostgresFailures.certificate(peer.cause())
                                        .<Throwable>map(refusal -> refusal)
                                        .orElse(failure))));
  }

  /// Applies missing migrations; costs one query when there are none. Blocks. May run on several
  /// nodes at the same time. Throws IncompatibleData when this build cannot use the data; it has
  /// changed nothing then.
  public void migrate() {
    new Migrations(settings, this).run();
  }

  /// Runs the work in one transaction (READ COMMITTED) and commits it; rolls back when the work
  /// throws. Blocks; must not be called on an event loop. After ServiceUnavailable the transaction
  /// may still have been committed.
  public <T extends @Nullable Object> T tx(Work<T> work) {
    return run("BEGIN", work);
  }

  /// Runs the work in a read-only transaction on one snapshot of the database.
  public <T extends @Nullable Object> T reading(Work<T> work) {
    return run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work);
  }

  private <T extends @Nullable Object> T run(String begin, Work<T> work) {
    if (Context.isOnEventLoopThread()) {
      throw new IllegalStateException("a transaction would block the event loop");
    }
    long begun = System.nanoTime();
    boolean limited = awaitTurn();
    try (PostgresTransaction transaction = PostgresTransaction.begin(pool, begin)) {
      T result = ScopedValue.where(IN_TRANSACTION, true).call(() -> work.run(transaction));
      transaction.commit();
      return result;
    } finally {
      endTurn(limited);
      times.ended(begun);
    }
  }

  /// Waits until background work may use one more connection; other work does not wait. Returns
  /// whether `endTurn` is due.
  private boolean awaitTurn() {
    if (!BlockingWork.isBackground() || IN_TRANSACTION.isBound()) {
      return false;
    }
    try {
      if (background.tryAcquire(BACKGROUND_WAIT_S, TimeUnit.SECONDS)) {
        return true;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new ServiceUnavailable("postgresql: too much background work", Duration.ofSeconds(1));
  }

  private void endTurn(boolean limited) {
    if (limited) {
      background.release();
    }
  }

  /// Runs one statement outside a transaction, without blocking (background work waits for its
  /// turn). Fails like `Db.query`, within nine seconds even when PostgreSQL or the network does not
  /// respond.
  public Future<List<Row>> query(String sql, @Nullable Object... args) {
    return execute(sql, args).map(PostgresDatabase::list);
  }

  /// Like `query`, each row read by the function.
  public <T> Future<List<T>> queryList(
      String sql, Function<Row, T> read, @Nullable Object... args) {
    return query(sql, args).map(rows -> rows.stream().map(read).toList());
  }

  /// Like `queryList`, for the first row; empty without one.
  public <T> Future<Optional<T>> queryFirst(
      String sql, Function<Row, T> read, @Nullable Object... args) {
    return query(sql, args).map(rows -> rows.stream().findFirst().map(read));
  }

  private Future<RowSet<Row>> execute(String sql, @Nullable Object... args) {
    long begun = System.nanoTime();
    boolean limited = awaitTurn();
    // Composed, so that an exception is a failure too and ends the turn.
    return Future.succeededFuture()
        .compose(_ -> pool.preparedQuery(sql).execute(tuple(args)))
        .timeout(CALL_LIMIT_S, TimeUnit.SECONDS)
        .onComplete(
            _ -> {
              endTurn(limited);
              times.ended(begun);
            })
        .recover(failure -> Future.failedFuture(PostgresFailures.of(failure)));
  }

  /// Runs one statement outside a transaction and returns its rows. Blocks. Throws like `tx`, and
  /// costs one round trip instead of three.
  public List<Row> rows(String sql, @Nullable Object... args) {
    return query(sql, args).await();
  }

  /// Like `rows`, each read by the function.
  public <T> List<T> list(String sql, Function<Row, T> read, @Nullable Object... args) {
    return queryList(sql, read, args).await();
  }

  /// Like `list`, for the first row; empty without one.
  public <T> Optional<T> first(String sql, Function<Row, T> read, @Nullable Object... args) {
    return queryFirst(sql, read, args).await();
  }

  /// Like `rows`, for the number of changed rows.
  @CanIgnoreReturnValue
  public int update(String sql, @Nullable Object... args) {
    return execute(sql, args).map(RowSet::rowCount).await();
  }

  /// Publishes the durations of statements and transactions.
  public void publish(Metrics metrics) {
    times.publish(
        metrics,
        "fairgate_postgres_call_seconds",
        "Time of statements and transactions, the wait for a connection included");
  }

  /// Notices changes of what a node keeps in memory.
  public ChangePoll changes() {
    return changes;
  }

  /// Completes when PostgreSQL responds.
  public Future<Void> check() {
    return query("SELECT 1").mapEmpty();
  }

  /// Checks whether the schema can be created here. Fails like `query`.
  public Future<PostgresFitness> fitness() {
    return explained(query(PostgresFitness.QUERY)).map(rows -> PostgresFitness.of(rows.getFirst()));
  }

  /// Closes all connections. Blocks for two seconds at most: a server that does not answer does not
  /// keep the process from its end.
  @Override
  public void close() {
    changes.close();
    try {
      pool.close().await(CLOSE_S, TimeUnit.SECONDS);
    } catch (TimeoutException _) {
      LOG.warn("PostgreSQL does not answer; its connections end with the process");
    }
  }

  static Tuple tuple(@Nullable Object... args) {
    Tuple tuple = Tuple.tuple();
    for (Object arg : args) {
      tuple.addValue(arg);
    }
    return tuple;
  }

  static List<Row> list(RowSet<Row> set) {
    List<Row> rows = new ArrayList<>(set.size());
    set.forEach(rows::add);
    return rows;
  }
}
