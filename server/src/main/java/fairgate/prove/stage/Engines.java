package fairgate.prove.stage;

import fairgate.platform.embedded.EmbeddedEngines;
import fairgate.platform.embedded.EngineOptions;
import fairgate.platform.embedded.PostgresAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/// The real Redis and PostgreSQL of a proof, which may be killed, kept down, and robbed of the end
/// of their log.
public final class Engines implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Path data;
  private final EmbeddedEngines engines;
  private long heldRedis;
  private long heldPostgres;

  private Engines(Path data, EmbeddedEngines engines) {
    this.data = data;
    this.engines = engines;
  }

  /// Starts both on data of their own, as durable as `up` has them.
  public static Engines start(Path data) {
    return new Engines(data, EmbeddedEngines.start(data, EngineOptions.durable()));
  }

  /// Where Redis is, whether it runs or not.
  public SocketAddress redis() {
    return UnixDomainSocketAddress.of(engines.redisUri().substring("unix://".length()));
  }

  /// Where PostgreSQL is, whether it runs or not.
  public PostgresAddress postgres() {
    return engines.postgres();
  }

  /// The same, for a wire.
  public SocketAddress postgresSocket() {
    PostgresAddress at = engines.postgres();
    return new InetSocketAddress(at.host(), at.port());
  }

  /// A connection of the proof's own.
  public Connection sql() throws SQLException {
    PostgresAddress at = engines.postgres();
    return DriverManager.getConnection(
        "jdbc:postgresql://" + at.host() + ":" + at.port() + "/" + at.database(),
        at.user(),
        at.password());
  }

  /// `kill -9`; it stays dead until `redisBack`.
  public void killRedis() {
    long pid = engines.redisPid();
    heldRedis = hold(pid);
    await(() -> !redisAnswers());
  }

  /// Lets it start again, and waits until it answers.
  public void redisBack() {
    release(heldRedis);
    heldRedis = 0;
    await(this::redisAnswers);
  }

  /// `kill -9` of PostgreSQL's first process; it stays dead until `postgresBack`.
  public void killPostgres() {
    heldPostgres = hold(engines.postgresPid());
    await(() -> !postgresAnswers());
  }

  public void postgresBack() {
    release(heldPostgres);
    heldPostgres = 0;
    await(this::postgresAnswers);
  }

  /// How long Redis' log is at this moment.
  public long logSize() throws IOException {
    return Files.size(log());
  }

  /// Cuts the log of a dead Redis: what a power cut does, or an older copy put back.
  public void cutLog(long size) throws IOException {
    try (FileChannel file = FileChannel.open(log(), StandardOpenOption.WRITE)) {
      FileChannel _ = file.truncate(size);
      file.force(true);
    }
  }

  /// Takes Redis the right to make files in its folder, or gives it back.
  public void lockRedisFolder(boolean lock) throws IOException {
    Path folder = data.toRealPath().resolve("engines/redis");
    Path _ =
        Files.setPosixFilePermissions(
            folder, PosixFilePermissions.fromString(lock ? "r-x------" : "rwx------"));
  }

  private Path log() throws IOException {
    try (Stream<Path> files =
        Files.list(data.toRealPath().resolve("engines/redis/appendonlydir"))) {
      return files
          .filter(file -> file.toString().endsWith(".incr.aof"))
          .sorted()
          .reduce((_, last) -> last)
          .orElseThrow();
    }
  }

  /// The process that would start it again is held first.
  private static long hold(long pid) {
    long supervisor = ProcessHandle.of(pid).flatMap(ProcessHandle::parent).orElseThrow().pid();
    Signals.send("STOP", supervisor);
    Signals.send("KILL", pid);
    return supervisor;
  }

  private static void release(long supervisor) {
    if (supervisor != 0) {
      Signals.send("CONT", supervisor);
    }
  }

  private boolean redisAnswers() {
    try (Resp redis = Resp.open(redis())) {
      return "PONG".equals(redis.call("PING"));
    } catch (IOException _) {
      return false;
    }
  }

  private boolean postgresAnswers() {
    try (Connection connection = sql()) {
      return connection.isValid(1);
    } catch (SQLException _) {
      return false;
    }
  }

  private static void await(BooleanSupplier holds) {
    Waiting.until("an engine", PATIENCE, holds);
  }

  @Override
  public void close() {
    release(heldRedis);
    release(heldPostgres);
    engines.close();
  }
}
