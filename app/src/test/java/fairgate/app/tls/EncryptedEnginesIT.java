package fairgate.app.tls;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.ServerProcess;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.KeptPort;
import fairgate.testkit.PemFiles;
import fairgate.testkit.RespConnection;
import java.io.IOException;
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
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A server, and `doctor`, on a Redis and a PostgreSQL that refuse plain text and clients without a
/// certificate. `doctor` runs in a process of its own, because its settings come from the
/// environment.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
class EncryptedEnginesIT {

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path data;

  private TestEngines engines;
  private PemFiles files;
  private PemFiles strangers;
  private PostgresAddress database;
  private final int redisPort = KeptPort.free();

  @BeforeAll
  void encrypt() throws Exception {
    engines = TestEngines.privateEngines();
    database = engines.freshDatabase();
    Path folder = Path.of("target", "tls-" + ProcessHandle.current().pid()).toAbsolutePath();
    files = PemFiles.in(folder.resolve("own"));
    strangers = PemFiles.in(folder.resolve("strangers"));
    encryptRedis();
    encryptPostgres();
  }

  @AfterAll
  void stop() {
    engines.close();
  }

  private void encryptRedis() {
    redis("tls-ca-cert-file", files.path("ca.pem"));
    redis(
        "tls-key-file",
        files.path("server.key"),
        "tls-cert-file",
        files.path("server.pem"),
        "tls-auth-clients",
        "yes");
    redis("bind", "127.0.0.1");
    redis("tls-port", Integer.toString(redisPort));
  }

  private void redis(String... settings) {
    List<String> command = new ArrayList<>(List.of("CONFIG", "SET"));
    command.addAll(List.of(settings));
    assertThat(RespConnection.call(engines.redisUri(), command.toArray(String[]::new)))
        .isEqualTo("OK");
  }

  private void encryptPostgres() throws SQLException, IOException {
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(database), database.user(), database.password());
        Statement statement = connection.createStatement()) {
      Path hba = Path.of(text(statement, "SHOW hba_file"));
      // PostgreSQL takes a key only from its own user.
      Path key = hba.resolveSibling("tls.key");
      Files.copy(Path.of(files.path("server.key")), key);
      Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
      Files.setOwner(key, Files.getOwner(hba));
      Files.writeString(
          hba,
          """
          hostssl   all all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca
          hostnossl all all 127.0.0.1/32 reject
          """);
      statement.execute("ALTER SYSTEM SET ssl_key_file = '" + key + "'");
      statement.execute("ALTER SYSTEM SET ssl_cert_file = '" + files.path("server.pem") + "'");
      statement.execute("ALTER SYSTEM SET ssl_ca_file = '" + files.path("ca.pem") + "'");
      statement.execute("ALTER SYSTEM SET ssl = on");
      statement.execute("SELECT pg_reload_conf()");
    }
  }

  private static String text(Statement statement, String sql) throws SQLException {
    try (ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getString(1);
    }
  }

  private Map<String, String> settings(String scheme, String mode, PemFiles pem) {
    Map<String, String> settings = new HashMap<>();
    settings.put("REDIS_URL", scheme + "://127.0.0.1:" + redisPort);
    settings.put(
        "DATABASE_URL",
        "postgresql://%s:%s@127.0.0.1:%d/%s%s"
            .formatted(
                database.user(), database.password(), database.port(), database.database(), mode));
    if (scheme.equals("rediss")) {
      settings.putAll(files("REDIS", pem));
    }
    if (mode.endsWith("verify-full")) {
      settings.putAll(files("DATABASE", pem));
    }
    return settings;
  }

  private static Map<String, String> files(String section, PemFiles pem) {
    return Map.of(
        "FAIRGATE_" + section + "_CA_FILE", pem.path("ca.pem"),
        "FAIRGATE_" + section + "_CERT_FILE", pem.path("client.pem"),
        "FAIRGATE_" + section + "_KEY_FILE", pem.path("client.key"));
  }

  private ProcessBuilder command(Map<String, String> settings, String... arguments) {
    ProcessBuilder builder =
        new ProcessBuilder(ServerProcess.command(arguments)).redirectErrorStream(true);
    builder
        .environment()
        .putAll(
            Map.of(
                "FAIRGATE_MASTER_SECRET",
                    "k1:9f31c6d2a7584be06d1f8a93c5e472b80b6ee1943fd7285ac1097d6e5b84f23a",
                "FAIRGATE_OPERATOR_TOKEN", "pQ7vK2mZ9sLr4TxB1wNc8HyD",
                "FAIRGATE_PAYMENT_SANDBOX_IN_PRODUCTION", "accepted",
                "FAIRGATE_LINKS_BASE_URL", "https://tickets.example.com",
                "FAIRGATE_DATA_DIR", data.toString(),
                "FAIRGATE_PORT", "0"));
    builder.environment().putAll(settings);
    return builder;
  }

  private String doctor(Map<String, String> settings) throws IOException, InterruptedException {
    Process process = command(settings, "doctor").start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return output;
  }

  @Test
  void aServerSellsOnEncryptedEngines() {
    Map<String, String> settings = new HashMap<>();
    settings("rediss", "?sslmode=verify-full", files)
        .forEach(
            (name, value) ->
                settings.put(
                    name.replace("FAIRGATE_", "").toLowerCase(Locale.ROOT).replaceFirst("_", "."),
                    value));
    try (TestFairgate server = TestFairgate.startOnUrls(settings)) {
      server.admin(
          "POST",
          "/products",
          "{\"id\": \"7\", \"name\": \"Ticket\", \"price\": 100, \"total_stock\": 1}");
      server.admin("POST", "/products/7/open", "");
      Eventually.await(
          "the unit is for sale",
          () -> server.admin("GET", "/products/7/live", "").contains("\"free\":1"));
    }
  }

  @Test
  void doctorNamesTheProtocolAndTheEndOfTheCertificate() throws Exception {
    String report =
        Eventually.get(
            "answers in time",
            () -> doctor(settings("rediss", "?sslmode=verify-full", files)),
            output ->
                output.contains("ok    redis of serve")
                    && output.contains("ok    postgres of serve"));
    assertThat(report)
        .containsPattern(
            "ok    redis of serve +\\S+ [0-9.]+ answers, TLSv1\\.3, certificate until 20\\d\\d-")
        .containsPattern("ok    postgres of serve .*, TLSv1\\.3, certificate until 20\\d\\d-");
  }

  /// Nothing of this changes while `doctor` waits, so it does not: the time limit of this class is
  /// shorter than `engines.wait_seconds`.
  @Test
  void foreignCertificatesAreRefusedAtOnce() throws Exception {
    Map<String, String> settings =
        new HashMap<>(settings("rediss", "?sslmode=verify-full", strangers));
    settings.put("FAIRGATE_ENGINES_WAIT_SECONDS", "3600");
    assertThat(doctor(settings))
        .contains(
            "FAIL  redis of serve         redis: its certificate is refused",
            "redis.ca_file has to name the authority")
        .contains(
            "FAIL  postgres of serve      postgresql: its certificate is refused",
            "database.ca_file has to name the authority");
  }

  @Test
  void plainTextIsReported() throws Exception {
    Map<String, String> settings = new HashMap<>(settings("redis", "", files));
    settings.put("FAIRGATE_ENGINES_WAIT_SECONDS", "5");
    assertThat(doctor(settings))
        .contains("FAIL  redis of serve")
        .contains("FAIL  postgres of serve      postgresql refuses the login (");
  }
}
