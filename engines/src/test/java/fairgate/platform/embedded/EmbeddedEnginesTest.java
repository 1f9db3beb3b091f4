package fairgate.platform.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@Timeout(120)
final class EmbeddedEnginesTest {
  @TempDir Path temp;

  /// Of engines that no test stops or changes.
  private static Path sharedData;

  private static EmbeddedEngines shared;

  @BeforeAll
  static void startShared(@TempDir Path folder) throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    sharedData = folder.resolve("data");
    shared = EmbeddedEngines.start(sharedData, EngineOptions.disposable());
  }

  @AfterAll
  static void stopShared() {
    shared.close();
  }

  @BeforeEach
  void letOtherUsersEnter() throws IOException {
    Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void redisSyncsEveryWriteAndDataSurviveARestart() throws Exception {
    Path data = temp.resolve("data");
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, EngineOptions.durable())) {
      String config =
          RespConnection.call(
              engines.redisUri(), "CONFIG", "GET", "append*", "port", "maxmemory-*");
      assertThat(config.lines())
          .containsSequence("appendfsync", "always")
          .containsSequence("appendonly", "yes")
          .containsSequence("port", "0")
          .containsSequence("maxmemory-policy", "noeviction");
      assertThat(RespConnection.call(engines.redisUri(), "SET", "kept", "yes")).isEqualTo("OK");
      assertThat(sql(engines.postgres(), "CREATE TABLE kept AS SELECT 42 AS n")).isEmpty();
    }
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, EngineOptions.durable())) {
      assertThat(RespConnection.call(engines.redisUri(), "GET", "kept")).isEqualTo("yes");
      assertThat(sql(engines.postgres(), "SELECT n FROM kept")).isEqualTo("42");
    }
  }

  @Test
  void onlyTheUserOfTheEnginesMayUseTheSocketOfRedis() throws IOException {
    Path socket = Path.of(shared.redisUri().substring("unix://".length()));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
        .isEqualTo("rwx------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket.getParent())))
        .isEqualTo("rwx------");
  }

  @Test
  void postgresAsksForThePassword() {
    PostgresAddress address = shared.postgres();
    assertThatThrownBy(
            () -> DriverManager.getConnection(TestEngines.jdbcUrl(address), "fairgate", "guess"))
        .hasMessageContaining("password authentication failed");
    assertThat(address.toString()).doesNotContain(address.password());
  }

  @Test
  void aSecondStartOnTheSameDataIsRefusedWithoutDamage() {
    assertThatThrownBy(() -> EmbeddedEngines.start(sharedData, EngineOptions.disposable()))
        .isInstanceOf(EngineFailed.class)
        .hasMessageContaining("is in use by another Fairgate")
        .hasMessageContaining("--data");
    assertThat(RespConnection.call(shared.redisUri(), "PING")).isEqualTo("PONG");
  }

  @Test
  void anotherProcessIsRefusedWithThePidOfTheHolder() throws Exception {
    Process second = EngineHost.launch(List.of(), EngineHost.CLASS_PATH, sharedData);
    String error = new String(second.getErrorStream().readAllBytes(), UTF_8);
    assertThat(second.waitFor()).isNotZero();
    assertThat(error)
        .contains(sharedData.toRealPath().toString(), "process " + ProcessHandle.current().pid());
    assertThat(RespConnection.call(shared.redisUri(), "PING")).isEqualTo("PONG");
  }

  @Test
  void twoInstancesRunSideBySide() throws Exception {
    try (EmbeddedEngines other =
        EmbeddedEngines.start(temp.resolve("other"), EngineOptions.disposable())) {
      assertThat(RespConnection.call(shared.redisUri(), "SET", "name", "one")).isEqualTo("OK");
      assertThat(RespConnection.call(other.redisUri(), "GET", "name")).isEmpty();
      assertThat(shared.postgres().port()).isNotEqualTo(other.postgres().port());
      assertThat(sql(other.postgres(), "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void closingLeavesNoProcess() {
    List<Long> pids;
    try (EmbeddedEngines engines =
        EmbeddedEngines.start(temp.resolve("data"), EngineOptions.disposable())) {
      pids = List.of(engines.redisPid(), engines.postgresPid());
      assertThat(pids).allMatch(EmbeddedEnginesTest::runs);
    }
    assertThat(pids).noneMatch(EmbeddedEnginesTest::runs);
  }

  @Test
  void killingTheServerStopsTheEngines() throws Exception {
    Path data = temp.resolve("data");
    EngineHost.Started host = EngineHost.start(data);
    assertThat(RespConnection.call(host.redisUri(), "SET", "answered", "yes")).isEqualTo("OK");
    assertThat(host.process().destroyForcibly().waitFor(60, TimeUnit.SECONDS)).isTrue();
    Eventually.await(() -> !runs(host.redisPid()) && !runs(host.postgresPid()));
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, EngineOptions.disposable())) {
      assertThat(RespConnection.call(engines.redisUri(), "GET", "answered")).isEqualTo("yes");
    }
  }

  @Test
  void enginesWithoutSupervisorsAreStoppedByTheNextStart() throws Exception {
    Path data = temp.resolve("data");
    EngineHost.Started host = EngineHost.start(data);
    // First the watching half of each supervisor, then the other half, then the server.
    for (ProcessHandle child : host.process().children().toList()) {
      child
          .children()
          .filter(each -> each.pid() != host.redisPid() && each.pid() != host.postgresPid())
          .forEach(EmbeddedEnginesTest::kill);
    }
    List<ProcessHandle> supervisors = host.process().children().toList();
    kill(host.process().toHandle());
    supervisors.forEach(EmbeddedEnginesTest::kill);
    assertThat(host.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(List.of(host.redisPid(), host.postgresPid())).allMatch(EmbeddedEnginesTest::runs);

    try (EmbeddedEngines engines = EmbeddedEngines.start(data, EngineOptions.disposable())) {
      assertThat(List.of(host.redisPid(), host.postgresPid())).noneMatch(EmbeddedEnginesTest::runs);
      assertThat(RespConnection.call(engines.redisUri(), "PING")).isEqualTo("PONG");
    }
  }

  @Test
  void aPausedRedisGoesOnAndADeadEngineIsRestartedAtTheSameAddress() {
    try (TestEngines engines = TestEngines.privateEngines()) {
      assertThat(RespConnection.call(engines.redisUri(), "SET", "kept", "yes")).isEqualTo("OK");
      engines.pauseRedis();
      engines.resumeRedis();
      assertThat(RespConnection.call(engines.redisUri(), "GET", "kept")).isEqualTo("yes");
      engines.flushRedis();
      assertThat(RespConnection.call(engines.redisUri(), "GET", "kept")).isEmpty();

      PostgresAddress address = engines.postgres();
      engines.killRedis();
      engines.killPostgres();
      engines.restartRedis();
      assertThat(RespConnection.call(engines.redisUri(), "PING")).isEqualTo("PONG");
      Eventually.await(() -> answers(address));
    }
  }

  @Test
  void aLongPathWithSpacesWorks() {
    Path data = temp.resolve("a folder with spaces ".repeat(6));
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, EngineOptions.disposable())) {
      assertThat(RespConnection.call(engines.redisUri(), "PING")).isEqualTo("PONG");
      assertThat(answers(engines.postgres())).isTrue();
    }
  }

  @Test
  @EnabledIf("isRoot")
  void rootMayKeepItsDataWhereOthersCannotEnter() throws Exception {
    Path closed = Files.createDirectory(temp.resolve("closed"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
    Path data = closed.resolve("data");
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, EngineOptions.disposable())) {
      assertThat(sql(engines.postgres(), "CREATE TABLE kept AS SELECT 42 AS n")).isEmpty();
    }
    Path elsewhere = data.resolve("engines").toRealPath();
    assertThat(elsewhere).startsWithRaw(Path.of("/var/lib/fairgate"));
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, EngineOptions.disposable())) {
      assertThat(sql(engines.postgres(), "SELECT n FROM kept")).isEqualTo("42");
    } finally {
      Folders.delete(elsewhere);
    }
  }

  @Test
  @EnabledIf("isRoot")
  void anOrdinaryUserRunsTheEnginesAsItself() throws Exception {
    Path home = Files.createTempDirectory(Path.of("/tmp"), "fairgate-test-");
    try {
      Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));
      String classPath = EngineHost.readableClassPath(Files.createDirectory(home.resolve("jars")));
      List<String> asNobody =
          List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--");
      EngineHost.Started host =
          EngineHost.awaitReady(EngineHost.launch(asNobody, classPath, home.resolve("data")));
      assertThat(RespConnection.call(host.redisUri(), "PING")).isEqualTo("PONG");
      assertThat(ProcessHandle.of(host.redisPid()).orElseThrow().info().user()).hasValue("nobody");
      host.process().getOutputStream().close();
      assertThat(host.process().waitFor()).isZero();
      assertThat(runs(host.postgresPid())).isFalse();
    } finally {
      Folders.delete(home);
    }
  }

  static boolean isRoot() throws IOException {
    return EngineUser.choose(Path.of("nowhere")).switched();
  }

  private static String sql(PostgresAddress address, String sql) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(address), address.user(), address.password());
        Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return "";
      }
      ResultSet rows = statement.getResultSet();
      return rows.next() ? rows.getString(1) : "";
    }
  }

  private static boolean answers(PostgresAddress address) {
    try {
      return sql(address, "SELECT 1").equals("1");
    } catch (SQLException _) {
      return false;
    }
  }

  private static boolean runs(long pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  private static void kill(ProcessHandle process) {
    assertThat(process.destroyForcibly()).isTrue();
  }
}
