package fairgate.platform.embedded;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Redis and PostgreSQL as child processes of this process, with their data in one folder.
///
/// They end with this process, even when it is killed. If one dies while this process lives, it is
/// restarted at the same address.
public final class EmbeddedEngines implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedEngines.class);
  static final Executor THREADS = task -> Thread.ofVirtual().start(task);
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

  /// Starts both engines and returns when both respond: after about half a second on existing data,
  /// about three seconds the first time (programs to unpack, a database to create).
  ///
  /// @param dataDir created if missing
  /// @throws EngineFailed with a message for the operator: the folder is in use or not writable, or
  ///   an engine does not start
  public static EmbeddedEngines start(Path dataDir, EngineOptions options) {
    return start(dataDir, options, 0);
  }

  /// Starts PostgreSQL and several Redis in Cluster mode. They have no slots and do not know each
  /// other; the caller must configure them.
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
      throw new EngineFailed("The engines cannot start in " + dataDir + ": " + messageOf(e), e);
    } catch (EngineFailed e) {
      release(locks);
      throw e;
    }
  }

  /// The file and the reason, without a class name.
  private static String messageOf(IOException failure) {
    String message = failure.getMessage();
    return message == null ? failure.toString() : message;
  }

  private static EmbeddedEngines start(
      Path data, EngineHome home, EngineOptions options, int masters, Deque<DataLock> locks)
      throws IOException {
    Path logs = Folders.ownersOnly(data.resolve("logs"));
    Path cache = EnginePrograms.cache(options.cache(), data, home.user());
    EnginePrograms programs = EnginePrograms.unpack(cache);
    RedisProgram program = redisProgram(programs.redis(), home, options, masters);
    List<RedisEngine> redis = new ArrayList<>();
    if (masters == 0) {
      redis.add(RedisEngine.single(program, home, options));
    }
    for (int i = 1; i <= masters; i++) {
      redis.add(RedisEngine.node(i, program, home, options));
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

  /// Another process may take a port between the check and the start.
  private static RedisProgram redisProgram(
      RedisProgram bundled, EngineHome home, EngineOptions options, int masters)
      throws IOException {
    List<RedisRelease> writers = new ArrayList<>();
    for (int i = Math.min(masters, 1); i <= masters; i++) {
      RedisEngine.writer(home, i).ifPresent(writers::add);
    }
    List<RedisProgram> installed = RedisProgram.installed(options.redisFolders(), home.user());
    return RedisProgram.choose(bundled, installed, writers, home.folder());
  }

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

  /// The address of the PostgreSQL of this folder, when a server is running on it.
  public static Optional<PostgresAddress> running(Path dataDir) {
    return PostgresEngine.running(dataDir.resolve("engines"));
  }

  /// The URI of the Redis of this folder; use it only when `running` finds a PostgreSQL.
  public static Optional<String> runningRedis(Path dataDir) {
    return RedisEngine.socketOf(dataDir.resolve("engines")).map(socket -> "unix://" + socket);
  }

  /// The URI of Redis, `unix:///path`; only the owner of the engines' data may use the socket.
  public String redisUri() {
    return redis.getFirst().uri();
  }

  /// The address of each Redis; several in a cluster.
  public List<ClusterAddress> redisNodes() {
    return redis.stream().map(RedisEngine::address).toList();
  }

  /// The Redis program: installed on this machine, or bundled.
  public Path redisProgram() {
    return redis.getFirst().program().path();
  }

  /// The release and the source of the Redis program, such as `Redis 7.0.15 (bundled)` or `Valkey
  /// 8.1.1 (/usr/bin/valkey-server)`.
  public String redisVersion() {
    return redis.getFirst().program().words();
  }

  /// Whether the bundled program runs, which gets no updates from a package manager.
  public boolean redisIsBundled() {
    return redis.getFirst().program().bundled();
  }

  /// The address of PostgreSQL: a free port of the loopback address.
  public PostgresAddress postgres() {
    return postgres.address();
  }

  /// The pid of Redis; it changes at a restart.
  ///
  /// @throws EngineFailed while it is down
  public long redisPid() {
    return redisPid(0);
  }

  /// The pid of a cluster node, in the order of `redisNodes`.
  public long redisPid(int node) {
    return redisSupervisors.get(node).pid();
  }

  /// The pid of PostgreSQL's main process; it changes at a restart.
  ///
  /// @throws EngineFailed while it is down
  public long postgresPid() {
    return postgresSupervisor.pid();
  }

  /// Stops all engines gracefully, within 10 s, and releases the data folder.
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

  /// Deletes the data folder of stopped engines, including parts in other folders.
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
        LOG.warn("Could not release a data lock; it is held until the process ends", e);
      }
    }
  }

  /// An exclusive lock on a folder while this process lives. The file `lock` in it contains the pid
  /// of the holder.
  static final class DataLock implements AutoCloseable {
    /// File locks are per process, and closing any channel of the file releases them. Locks within
    /// this process are therefore tracked here, before the file is opened.
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path folder;
    private final FileChannel channel;

    private DataLock(Path folder, FileChannel channel) {
      this.folder = folder;
      this.channel = channel;
    }

    /// @param folder an existing folder, as a real path
    /// @throws EngineFailed when another server uses it
    static DataLock take(Path folder) throws IOException {
      if (!HELD.add(folder)) {
        throw inUse(folder, "this process");
      }
      boolean taken = false;
      try {
        FileChannel channel = FileChannel.open(folder.resolve("lock"), CREATE, READ, WRITE);
        if (channel.tryLock() == null) {
          channel.close();
          throw inUse(folder, "process " + Files.readString(folder.resolve("lock")).strip());
        }
        channel.truncate(0);
        channel.write(
            ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(US_ASCII)), 0);
        taken = true;
        return new DataLock(folder, channel);
      } finally {
        if (!taken) {
          HELD.remove(folder);
        }
      }
    }

    private static EngineFailed inUse(Path folder, String holder) {
      return new EngineFailed(
          "The data folder "
              + folder
              + " is in use by another Fairgate ("
              + holder
              + "). Stop that one, or give this one a folder of its own with --data.");
    }

    /// The file stays: deleting it would let two servers lock two files of the same name.
    @Override
    public void close() throws IOException {
      channel.close();
      HELD.remove(folder);
    }
  }

  /// The local address of a Redis cluster node.
  ///
  /// @param uri `unix:///path`, for the owner of the data
  /// @param port on the loopback address, for clients that follow slots; 0 without a cluster
  /// @param busPort on the loopback address, for other nodes
  public record ClusterAddress(String uri, int port, int busPort) {}
}
