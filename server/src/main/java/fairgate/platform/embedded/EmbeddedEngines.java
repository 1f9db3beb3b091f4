package fairgate.platform.embedded;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Redis and PostgreSQL running as children of this process on the data of one folder.
///
/// They end with this process, even when it is killed; while it lives they are started again when
/// they die, at the same addresses.
///
/// ```
/// data/lock               names the process that uses the folder
/// data/engines/redis      append-only log, socket
/// data/engines/postgres   cluster
/// data/logs               redis.log, postgres.log
/// ```
public final class EmbeddedEngines implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedEngines.class);
  private static final Executor THREADS = task -> Thread.ofVirtual().start(task);
  private static final int PORT_ATTEMPTS = 5;

  private final RedisEngine redis;
  private final PostgresEngine postgres;
  private final Supervisor redisSupervisor;
  private final Supervisor postgresSupervisor;
  private final Deque<DataLock> locks;

  private EmbeddedEngines(
      RedisEngine redis,
      Supervisor redisSupervisor,
      PostgresEngine postgres,
      Supervisor postgresSupervisor,
      Deque<DataLock> locks) {
    this.redis = redis;
    this.redisSupervisor = redisSupervisor;
    this.postgres = postgres;
    this.postgresSupervisor = postgresSupervisor;
    this.locks = locks;
  }

  /// Starts both engines and returns when both answer: in about half a second on data that exists,
  /// in about three the first time (programs to unpack, a cluster to make).
  ///
  /// @param dataDir made if missing
  /// @throws EngineFailed with a message for the operator: the folder is in use or not writable, or
  ///   an engine does not start
  public static EmbeddedEngines start(Path dataDir, EngineOptions options) {
    Deque<DataLock> locks = new ArrayDeque<>();
    try {
      Path data = Files.createDirectories(dataDir).toRealPath();
      locks.push(DataLock.take(data));
      EngineHome home = EngineHome.of(data);
      if (!home.folder().startsWith(data)) {
        locks.push(DataLock.take(home.folder()));
      }
      return start(data, home, options, locks);
    } catch (AccessDeniedException e) {
      release(locks);
      throw new EngineFailed(
          "No permission for " + e.getFile() + "; choose a folder with --data.", e);
    } catch (IOException e) {
      release(locks);
      throw new EngineFailed("The engines cannot start in " + dataDir + ": " + e, e);
    } catch (EngineFailed e) {
      release(locks);
      throw e;
    }
  }

  private static EmbeddedEngines start(
      Path data, EngineHome home, EngineOptions options, Deque<DataLock> locks) throws IOException {
    Path logs = Files.createDirectories(data.resolve("logs"));
    Path cache = EnginePrograms.cache(options.cache(), data, home.user());
    EnginePrograms programs =
        EnginePrograms.unpack(cache)
            .withRedis(
                options.ownRedis()
                    ? Optional.empty()
                    : RedisProgram.find(String.valueOf(System.getenv("PATH")), home.user()));
    RedisEngine redis = new RedisEngine(programs, home, options);
    PostgresEngine postgres = new PostgresEngine(programs, home, options);
    CompletableFuture<Supervisor> redisStart =
        CompletableFuture.supplyAsync(() -> supervise(redis, logs, options), THREADS);
    CompletableFuture<Supervisor> postgresStart =
        CompletableFuture.supplyAsync(() -> supervise(postgres, logs, options), THREADS);
    try {
      return new EmbeddedEngines(redis, redisStart.join(), postgres, postgresStart.join(), locks);
    } catch (CompletionException e) {
      closeIfStarted(redisStart);
      closeIfStarted(postgresStart);
      throw e.getCause() instanceof EngineFailed failed
          ? failed
          : new EngineFailed("The engines cannot start: " + e.getCause(), e);
    }
  }

  private static Supervisor supervise(RedisEngine engine, Path logs, EngineOptions options) {
    return supervise((Engine) engine, logs, options);
  }

  /// Between finding a port free and listening on it somebody else may take it.
  private static Supervisor supervise(PostgresEngine engine, Path logs, EngineOptions options) {
    for (int attempt = 1; ; attempt++) {
      try {
        return supervise((Engine) engine, logs, options);
      } catch (EngineFailed e) {
        boolean portTaken = String.valueOf(e.getMessage()).contains("Address already in use");
        if (!portTaken || attempt == PORT_ATTEMPTS) {
          throw e;
        }
        engine.changePort();
      }
    }
  }

  private static Supervisor supervise(Engine engine, Path logs, EngineOptions options) {
    try {
      return Supervisor.start(engine, logs, options.startLimit());
    } catch (IOException e) {
      throw new EngineFailed(engine.name() + " cannot start: " + e, e);
    }
  }

  private static void closeIfStarted(CompletableFuture<Supervisor> start) {
    start
        .handle(
            (supervisor, _) -> {
              if (supervisor != null) {
                supervisor.close();
              }
              return "closed";
            })
        .join();
  }

  /// Where the PostgreSQL of this folder listens, when a server is running on it.
  public static Optional<PostgresAddress> running(Path dataDir) {
    return PostgresEngine.running(dataDir.resolve("engines"));
  }

  /// `unix:///path`; only the owner of the engines' data may use the socket.
  public String redisUri() {
    return redis.uri();
  }

  /// What runs as Redis: the machine's own program, or the bundled one.
  public Path redisProgram() {
    return redis.program();
  }

  /// Where PostgreSQL listens: the loopback address, a port that was free.
  public PostgresAddress postgres() {
    return postgres.address();
  }

  /// The pid of Redis itself, which changes when it is started again.
  ///
  /// @throws EngineFailed while it is down
  public long redisPid() {
    return redisSupervisor.pid();
  }

  /// The pid of PostgreSQL's first process, which changes when it is started again.
  ///
  /// @throws EngineFailed while it is down
  public long postgresPid() {
    return postgresSupervisor.pid();
  }

  /// Stops both gracefully, within 10 s, and gives the data folder free.
  @Override
  public void close() {
    CompletableFuture.allOf(
            CompletableFuture.runAsync(redisSupervisor::close, THREADS),
            CompletableFuture.runAsync(postgresSupervisor::close, THREADS))
        .join();
    redis.forgetSocket();
    release(locks);
  }

  /// Deletes the data folder of stopped engines, wherever parts of it are.
  public static void deleteData(Path dataDir) throws IOException {
    Path engines = dataDir.resolve("engines");
    if (Files.isSymbolicLink(engines)) {
      Folders.delete(engines.toRealPath());
    }
    Folders.delete(dataDir);
  }

  private static void release(Deque<DataLock> locks) {
    while (!locks.isEmpty()) {
      try {
        locks.pop().close();
      } catch (IOException e) {
        LOG.warn("a lock stays until the process ends", e);
      }
    }
  }
}
