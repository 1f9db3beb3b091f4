package fairgate.platform.embedded;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Redis and PostgreSQL running as children of this process on the data of one folder.
///
/// They end with this process, even when it is killed; while it lives they are started again when
/// they die, at the same addresses.
///
/// ```
/// data/lock               names the process that uses the folder
/// data/engines/redis      append-only log, socket (redis-1, redis-2, ... of a cluster)
/// data/engines/postgres   cluster
/// data/logs               redis.log, postgres.log
/// ```
public final class EmbeddedEngines implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedEngines.class);
  private static final Executor THREADS = task -> Thread.ofVirtual().start(task);
  private static final int PORT_ATTEMPTS = 5;

  private final List<RedisEngine> redis;
  private final PostgresEngine postgres;
  private final List<Supervisor> redisSupervisors;
  private final Supervisor postgresSupervisor;
  private final Deque<DataLock> locks;

  private EmbeddedEngines(
      List<RedisEngine> redis,
      List<Supervisor> redisSupervisors,
      PostgresEngine postgres,
      Supervisor postgresSupervisor,
      Deque<DataLock> locks) {
    this.redis = List.copyOf(redis);
    this.redisSupervisors = List.copyOf(redisSupervisors);
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
    return start(dataDir, options, 0);
  }

  /// The same with so many Redis in Cluster mode, which know of no slots and of each other not yet:
  /// whoever starts them tells them.
  public static EmbeddedEngines startCluster(Path dataDir, EngineOptions options, int masters) {
    return start(dataDir, options, masters);
  }

  private static EmbeddedEngines start(Path dataDir, EngineOptions options, int masters) {
    Deque<DataLock> locks = new ArrayDeque<>();
    try {
      Path data = Files.createDirectories(dataDir).toRealPath();
      locks.push(DataLock.take(data));
      EngineHome home = EngineHome.of(data);
      if (!home.folder().startsWith(data)) {
        locks.push(DataLock.take(home.folder()));
      }
      return start(data, home, options, masters, locks);
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
      Path data, EngineHome home, EngineOptions options, int masters, Deque<DataLock> locks)
      throws IOException {
    Path logs = Files.createDirectories(data.resolve("logs"));
    Path cache = EnginePrograms.cache(options.cache(), data, home.user());
    EnginePrograms programs =
        EnginePrograms.unpack(cache)
            .withRedis(
                options.ownRedis()
                    ? Optional.empty()
                    : RedisProgram.find(String.valueOf(System.getenv("PATH")), home.user()));
    List<RedisEngine> redis = new ArrayList<>();
    if (masters == 0) {
      redis.add(RedisEngine.single(programs, home, options));
    }
    for (int i = 1; i <= masters; i++) {
      redis.add(RedisEngine.node(i, programs, home, options));
    }
    PostgresEngine postgres = new PostgresEngine(programs, home, options);
    List<CompletableFuture<Supervisor>> starts = new ArrayList<>();
    for (RedisEngine one : redis) {
      starts.add(CompletableFuture.supplyAsync(() -> supervise(one, logs, options), THREADS));
    }
    starts.add(CompletableFuture.supplyAsync(() -> supervise(postgres, logs, options), THREADS));
    try {
      List<Supervisor> all = starts.stream().map(CompletableFuture::join).toList();
      return new EmbeddedEngines(
          redis, all.subList(0, redis.size()), postgres, all.getLast(), locks);
    } catch (CompletionException e) {
      starts.forEach(EmbeddedEngines::closeIfStarted);
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
    return redis.getFirst().uri();
  }

  /// Where each Redis is; there are several where it is a cluster.
  public List<ClusterAddress> redisNodes() {
    return redis.stream().map(RedisEngine::address).toList();
  }

  /// What runs as Redis: the machine's own program, or the bundled one.
  public Path redisProgram() {
    return redis.getFirst().program();
  }

  /// Where PostgreSQL listens: the loopback address, a port that was free.
  public PostgresAddress postgres() {
    return postgres.address();
  }

  /// The pid of Redis itself, which changes when it is started again.
  ///
  /// @throws EngineFailed while it is down
  public long redisPid() {
    return redisPid(0);
  }

  /// The same of one of several, in the order of `redisNodes`.
  public long redisPid(int node) {
    return redisSupervisors.get(node).pid();
  }

  /// The pid of PostgreSQL's first process, which changes when it is started again.
  ///
  /// @throws EngineFailed while it is down
  public long postgresPid() {
    return postgresSupervisor.pid();
  }

  /// Stops all gracefully, within 10 s, and gives the data folder free.
  @Override
  public void close() {
    CompletableFuture.allOf(
            Stream.concat(redisSupervisors.stream(), Stream.of(postgresSupervisor))
                .map(one -> CompletableFuture.runAsync(one::close, THREADS))
                .toArray(CompletableFuture<?>[]::new))
        .join();
    redis.forEach(RedisEngine::forgetSocket);
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
