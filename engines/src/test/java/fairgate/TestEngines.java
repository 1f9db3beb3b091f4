package fairgate;

import fairgate.platform.embedded.EmbeddedEngines;
import fairgate.platform.embedded.EngineOptions;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import fairgate.testkit.TestTimes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A real Redis and a real PostgreSQL for tests. Their data is deleted when the tests end.
///
/// Most tests use the ones `shared()` by the whole run, with a `freshDatabase()`; each class finds
/// an empty Redis. Tests that hurt an engine take `privateEngines()` and close them.
public final class TestEngines implements AutoCloseable {
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final String PREFIX = "fairgate-test-";
  private static final long ENOUGH_BYTES = 2L << 30;
  private static final Path HOME = home();

  private final Path data;
  private final EmbeddedEngines engines;
  private final AtomicInteger databases = new AtomicInteger();

  /// Databases that are not dropped yet, without the template.
  private final List<String> used = new ArrayList<>();

  /// A database with the schema, from which others are copied; empty before the first copy.
  private @Nullable String template;

  /// The supervisor held back by `killRedis`; 0 when none is.
  private long heldSupervisor;

  private TestEngines() {
    this.data = HOME.resolve(Integer.toString(COUNT.incrementAndGet()));
    this.engines =
        TestTimes.spent(
            TestTimes.Kind.ENGINES, () -> EmbeddedEngines.start(data, EngineOptions.disposable()));
    Runtime.getRuntime().addShutdownHook(new Thread(this::close));
  }

  private static volatile boolean sharing;

  private static final class Shared {
    static final TestEngines ENGINES = new TestEngines();
  }

  /// The engines all tests of this Java share; the first call starts them.
  public static TestEngines shared() {
    sharing = true;
    return Shared.ENGINES;
  }

  /// Makes test classes independent of their order. Runs before each class.
  ///
  /// Redis is emptied: an earlier class may have left a sale with the id of one in this class. Its
  /// databases are dropped. The first logger is created: it settles the configuration of the log
  /// for the whole Java process, and some commands choose another one if they come first.
  public static final class CleanStart implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
      Logger _ = LoggerFactory.getLogger(TestEngines.class);
      boolean isNested = context.getRequiredTestClass().isMemberClass();
      if (sharing && !isNested) {
        shared().flushRedis();
        shared().dropDatabases();
      }
    }
  }

  /// Engines for one test to pause and kill; that test closes them.
  public static TestEngines privateEngines() {
    return new TestEngines();
  }

  /// `unix:///path`, the same after a restart.
  public String redisUri() {
    return engines.redisUri();
  }

  /// The program that is the Redis of `up`, for tests that need several.
  public Path redisProgram() {
    return engines.redisProgram();
  }

  /// The database every server has, which tests had better not share.
  public PostgresAddress postgres() {
    return engines.postgres();
  }

  /// In memory where there is room: a new database has hundreds of files, whose creation on a disk
  /// takes longer than most tests.
  private static Path home() {
    String name = PREFIX + ProcessHandle.current().pid();
    try {
      if (!Files.isWritable(MEMORY)) {
        return Path.of("target", name);
      }
      deleteLeftovers();
      boolean room = Files.getFileStore(MEMORY).getUsableSpace() > ENOUGH_BYTES;
      return room ? MEMORY.resolve(name) : Path.of("target", name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A process that was killed has left its data.
  private static void deleteLeftovers() throws IOException {
    try (DirectoryStream<Path> homes = Files.newDirectoryStream(MEMORY, PREFIX + "*")) {
      for (Path home : homes) {
        long pid = Long.parseLong(home.getFileName().toString().substring(PREFIX.length()));
        if (ProcessHandle.of(pid).isEmpty()) {
          EmbeddedEngines.deleteData(home);
        }
      }
    }
  }

  /// Applies the schema to an empty database. Modules that have one provide it as a service.
  public interface Schema {
    void apply(PostgresAddress empty);
  }

  /// A new database: a copy of one with the schema in the shared engines, an empty one in private
  /// engines, which rarely need a second.
  public synchronized PostgresAddress freshDatabase() {
    PostgresAddress fresh = keptDatabase();
    used.add(fresh.database());
    return fresh;
  }

  /// As `freshDatabase`, for several classes: it is kept until the tests end.
  public synchronized PostgresAddress keptDatabase() {
    if (template == null && sharing && this == shared()) {
      PostgresAddress first = create("template0");
      ServiceLoader.load(Schema.class).forEach(schema -> schema.apply(first));
      template = first.database();
    }
    return create(template == null ? "template0" : template);
  }

  /// A new database without the schema.
  public synchronized PostgresAddress emptyDatabase() {
    PostgresAddress empty = create("template0");
    used.add(empty.database());
    return empty;
  }

  /// Drops what earlier classes have left and no longer use.
  private synchronized void dropDatabases() {
    for (String name : List.copyOf(used)) {
      if (connectionsOf(name) == 0) {
        execute("DROP DATABASE " + name);
        used.remove(name);
      }
    }
  }

  private int connectionsOf(String name) {
    String count = "SELECT count(*) FROM pg_stat_activity WHERE datname = '" + name + "'";
    return call(
        statement -> {
          ResultSet rows = statement.executeQuery(count);
          return rows.next() ? rows.getInt(1) : 0;
        });
  }

  private void execute(String sql) {
    boolean _ = call(statement -> statement.execute(sql));
  }

  private interface Call<T> {
    T on(Statement statement) throws SQLException;
  }

  private <T> T call(Call<T> call) {
    PostgresAddress address = engines.postgres();
    try (Connection connection =
            DriverManager.getConnection(jdbcUrl(address), address.user(), address.password());
        Statement statement = connection.createStatement()) {
      return call.on(statement);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private PostgresAddress create(String source) {
    String name = "test_" + databases.incrementAndGet();
    // Copied as files: through the log, as is the default, it takes three times as long.
    execute("CREATE DATABASE " + name + " TEMPLATE " + source + " STRATEGY FILE_COPY");
    PostgresAddress address = engines.postgres();
    return new PostgresAddress(
        address.host(), address.port(), address.user(), address.password(), name);
  }

  /// For tests that look into a database themselves.
  public static String jdbcUrl(PostgresAddress address) {
    return "jdbc:postgresql://" + address.host() + ":" + address.port() + "/" + address.database();
  }

  /// Empties Redis, its scripts included.
  public void flushRedis() {
    for (String command : List.of("FLUSHALL", "SCRIPT FLUSH")) {
      String reply = RespConnection.call(redisUri(), command.split(" ", -1));
      if (!reply.equals("OK")) {
        throw new IllegalStateException(command + ": " + reply);
      }
    }
  }

  /// Redis keeps its connections but answers nothing until `resumeRedis`.
  public void pauseRedis() {
    signal("STOP", engines.redisPid());
  }

  public void resumeRedis() {
    signal("CONT", engines.redisPid());
  }

  /// Redis dies at once and stays dead until `restartRedis`.
  public void killRedis() {
    long pid = engines.redisPid();
    heldSupervisor = ProcessHandle.of(pid).flatMap(ProcessHandle::parent).orElseThrow().pid();
    signal("STOP", heldSupervisor);
    signal("KILL", pid);
    Eventually.await("Redis is dead", () -> !redisAnswers());
  }

  /// Lets the killed Redis come back and waits until it answers.
  public void restartRedis() {
    signal("CONT", heldSupervisor);
    heldSupervisor = 0;
    Eventually.await("Redis answers", this::redisAnswers);
  }

  /// PostgreSQL dies at once and is started again by its supervisor.
  public void killPostgres() {
    signal("KILL", engines.postgresPid());
  }

  /// PostgreSQL keeps its connections but answers nothing until `resumePostgres`.
  public void pausePostgres() {
    signalPostgres("STOP");
  }

  public void resumePostgres() {
    signalPostgres("CONT");
  }

  /// Its main process and those that serve connections.
  private void signalPostgres(String name) {
    ProcessHandle main = ProcessHandle.of(engines.postgresPid()).orElseThrow();
    signal(name, main.pid());
    main.descendants().forEach(child -> signalIfAlive(name, child));
  }

  /// A process that serves a connection may end meanwhile.
  private static void signalIfAlive(String name, ProcessHandle process) {
    try {
      signal(name, process.pid());
    } catch (IllegalStateException e) {
      if (process.isAlive()) {
        throw e;
      }
    }
  }

  /// Stops both and deletes their data. Repeating does nothing.
  @Override
  public synchronized void close() {
    if (!Files.exists(data)) {
      return;
    }
    if (heldSupervisor != 0) {
      signal("CONT", heldSupervisor);
    } else {
      resumeRedis();
    }
    engines.close();
    try {
      EmbeddedEngines.deleteData(data);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean redisAnswers() {
    try {
      return RespConnection.call(redisUri(), "PING").equals("PONG");
    } catch (UncheckedIOException _) {
      return false;
    }
  }

  private static void signal(String name, long pid) {
    try {
      Process kill =
          new ProcessBuilder("bash", "-c", "kill -s " + name + " " + pid).inheritIO().start();
      if (kill.waitFor() != 0) {
        throw new IllegalStateException("cannot send " + name + " to " + pid);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
