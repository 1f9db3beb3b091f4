package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.platform.embedded.DataFolder;
import fairgate.platform.embedded.EmbeddedEngines;
import fairgate.platform.embedded.EngineOptions;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.RespConnection;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `serve` does not start with unsafe settings. A start that goes on to the engines runs in a
/// process of its own, with settings of its environment; what ends before that has them in a file.
@Timeout(300)
final class ServeCommandTest {
  private static final Map<String, String> SAFE_ENVIRONMENT =
      Map.of(
          "FAIRGATE_MASTER_SECRET",
              "k1:9f31c6d2a7584be06d1f8a93c5e472b80b6ee1943fd7285ac1097d6e5b84f23a",
          "FAIRGATE_OPERATOR_TOKEN", "pQ7vK2mZ9sLr4TxB1wNc8HyD",
          "FAIRGATE_PAYMENT_SANDBOX_IN_PRODUCTION", "accepted",
          "FAIRGATE_LINKS_BASE_URL", "https://tickets.example.com",
          "REDIS_URL", "redis://127.0.0.1:1",
          "DATABASE_URL", "postgresql://shop:secret@127.0.0.1:1/shop");

  private static final String SAFE_FILE =
      """
      master_secret: "k1:9f31c6d2a7584be06d1f8a93c5e472b80b6ee1943fd7285ac1097d6e5b84f23a"
      operator_token: "pQ7vK2mZ9sLr4TxB1wNc8HyD"
      payment.sandbox_in_production: "%s"
      links.base_url: "https://tickets.example.com"
      """;

  private static final String NO_ENGINES =
      """
      redis.url: "redis://127.0.0.1:1"
      database.url: "postgresql://shop:secret@127.0.0.1:1/shop"
      """;

  @TempDir Path folder;

  private record Run(int code, String output) {}

  /// Runs a command in a process of its own and waits for its end.
  private static Run process(Map<String, String> settings, String... arguments)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(ServerProcess.command(arguments)).redirectErrorStream(true);
    builder.environment().putAll(SAFE_ENVIRONMENT);
    builder.environment().putAll(settings);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Run(process.waitFor(), output);
  }

  /// Runs a command in this process.
  ///
  /// @param settings lines of a file with settings
  private Run run(String settings, String... arguments) throws IOException {
    Path file = Files.writeString(folder.resolve("fairgate.yaml"), settings);
    StringWriter output = new StringWriter();
    PrintWriter writer = new PrintWriter(output);
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--config", file.toString()));
    int code = Main.commandLine().setOut(writer).setErr(writer).execute(all.toArray(String[]::new));
    return new Run(code, output.toString());
  }

  private String refusal(String settings) throws IOException {
    return refusal("accepted", settings);
  }

  /// The output of `serve`, which must end without having started, and of `config check --serve`,
  /// which must refuse the same settings.
  private String refusal(String sandbox, String settings) throws IOException {
    String all = SAFE_FILE.formatted(sandbox) + NO_ENGINES + settings;
    Run serve = run(all, "serve", "--port", "0");
    assertThat(serve.code()).as(serve.output()).isEqualTo(2);
    assertThat(serve.output()).doesNotContain("ready http");
    Run check = run(all, "config", "check", "--serve");
    assertThat(check.code()).as(check.output()).isEqualTo(2);
    assertThat(check.output()).contains(serve.output().strip());
    return serve.output();
  }

  @Test
  void itRefusesTheTestChallenge() throws IOException, InterruptedException {
    assertThat(refusal("challenge.provider: test"))
        .contains("challenge.provider: test lets everybody in");
    Run serve = process(Map.of("FAIRGATE_CHALLENGE", "test"), "serve", "--port", "0");
    assertThat(serve.code()).as(serve.output()).isEqualTo(2);
    assertThat(serve.output())
        .contains("challenge.provider: test lets everybody in")
        .doesNotContain("ready http");
  }

  @Test
  void itRefusesTestKeys() throws IOException {
    assertThat(
            refusal(
                """
                challenge.provider: turnstile
                challenge.site_key: "1x00000000000000000000AA"
                challenge.secret: "1x0000000000000000000000000000000AA"
                """))
        .contains("challenge.secret: a published test secret")
        .contains("challenge.site_key: a published test key")
        .doesNotContain("1x0000000000000000000000000000000AA");
    assertThat(
            refusal(
                """
                challenge.provider: hcaptcha
                challenge.site_key: "10000000-ffff-ffff-ffff-000000000001"
                challenge.secret: "0x0000000000000000000000000000000000000000"
                """))
        .contains("challenge.secret: a published test secret")
        .contains("challenge.site_key: a published test key");
  }

  @Test
  void itRefusesAWidgetWithoutKeys() throws IOException {
    assertThat(refusal("challenge.provider: turnstile"))
        .contains("challenge.secret: missing")
        .contains("challenge.site_key: missing");
  }

  @Test
  void itRefusesTheSandboxUnlessItIsAccepted() throws IOException {
    assertThat(refusal("refused", "")).contains("payment.provider: sandbox takes no money");
  }

  @Test
  void aRedisWithoutPersistenceIsRefusedByServeAndDoctor()
      throws IOException, InterruptedException {
    try (TestEngines engines = TestEngines.privateEngines()) {
      String database = url(engines.freshDatabase());
      var _ = RespConnection.call(engines.redisUri(), "CONFIG", "SET", "appendonly", "no");
      var _ =
          RespConnection.call(
              engines.redisUri(), "CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
      Run serve =
          process(
              Map.of("REDIS_URL", engines.redisUri(), "DATABASE_URL", database),
              "serve",
              "--port",
              "0");
      assertThat(serve.code()).as(serve.output()).isEqualTo(1);
      assertThat(serve.output())
          .contains("redis appendonly no:", "redis maxmemory-policy allkeys-lru:")
          .contains("postgresql fsync off: when the machine dies")
          .doesNotContain("ready http");
      String stores =
          "redis.url: \"%s\"\ndatabase.url: \"%s\"\n".formatted(engines.redisUri(), database);
      Run doctor = run(SAFE_FILE.formatted("accepted") + stores, "doctor");
      assertThat(doctor.code()).as(doctor.output()).isEqualTo(1);
      assertThat(doctor.output())
          .contains("FAIL  redis appendonly no:", "FAIL  redis maxmemory-policy allkeys-lru:")
          .contains("FAIL  postgresql fsync off:", "warn  postgresql full_page_writes off:")
          .contains("warn  redis appendfsync everysec: when the machine dies, up to a second");
    }
  }

  /// Nothing listens at the addresses.
  @Test
  void enginesThatCouldNotBeCheckedAreRefused() throws IOException, InterruptedException {
    Run serve = process(Map.of("FAIRGATE_ENGINES_WAIT_SECONDS", "1"), "serve", "--port", "0");
    assertThat(serve.code()).as(serve.output()).isEqualTo(1);
    assertThat(serve.output())
        .contains("could not be checked", "redis: no answer", "postgresql: no answer")
        .contains("engines.unchecked: accepted")
        .doesNotContain("(null)", "ready http");
    String soon = SAFE_FILE.formatted("accepted") + NO_ENGINES + "engines.wait_seconds: 1\n";
    Run doctor = run(soon, "doctor");
    assertThat(doctor.code()).as(doctor.output()).isEqualTo(1);
    assertThat(doctor.output()).contains("redis of serve", "no answer").doesNotContain("null");
    Run explain = run(soon, "explain", "sale", "7");
    assertThat(explain.code()).as(explain.output()).isEqualTo(1);
    assertThat(explain.output()).contains("NOT KNOWN: ").doesNotContain("NOT BALANCED");
    Path file = folder.resolve("backup");
    Run backup = run(soon, "backup", file.toString());
    assertThat(backup.code()).as(backup.output()).isEqualTo(1);
    assertThat(backup.output()).contains("Redis does not answer at redis://127.0.0.1:1");
    assertThat(file).doesNotExist();
  }

  @Test
  void serveAndUpRefuseDataOfABuildFromBeforeTheReleaseAndLeaveThemUnchanged() throws Exception {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path data = folder.resolve("data");
    DataFolder.prepare(data);
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, EngineOptions.durable())) {
      var _ =
          rows(
              engines,
              "CREATE TABLE flyway_schema_history AS"
                  + " SELECT '0191' AS version, 1 AS checksum, true AS success");
      assertRefusesTheData(
          process(
              Map.of("REDIS_URL", engines.redisUri(), "DATABASE_URL", url(engines.postgres())),
              "serve",
              "--port",
              "0"));
    }
    assertRefusesTheData(
        process(
            Map.of("REDIS_URL", "", "DATABASE_URL", ""),
            "up",
            "--no-demo",
            "--port",
            "0",
            "--data",
            data.toString()));
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, EngineOptions.durable())) {
      assertThat(rows(engines, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"))
          .containsExactly("flyway_schema_history");
      assertThat(rows(engines, "SELECT version FROM flyway_schema_history"))
          .containsExactly("0191");
    }
  }

  private static void assertRefusesTheData(Run run) {
    assertThat(run.code()).as(run.output()).isEqualTo(1);
    assertThat(run.output())
        .contains("another build from before release 0.1.0 (schema version 0191)")
        .contains("Nothing was changed")
        .doesNotContain("ready http", "Exception");
  }

  private static List<String> rows(EmbeddedEngines engines, String sql) throws SQLException {
    PostgresAddress at = engines.postgres();
    List<String> rows = new ArrayList<>();
    try (Connection connection =
            DriverManager.getConnection(TestEngines.jdbcUrl(at), at.user(), at.password());
        Statement statement = connection.createStatement()) {
      boolean hasRows = statement.execute(sql);
      ResultSet result = statement.getResultSet();
      while (hasRows && result.next()) {
        rows.add(result.getString(1));
      }
    }
    return rows;
  }

  private static String url(PostgresAddress database) {
    return "postgresql://%s:%s@%s:%d/%s"
        .formatted(
            database.user(),
            database.password(),
            database.host(),
            database.port(),
            database.database());
  }
}
