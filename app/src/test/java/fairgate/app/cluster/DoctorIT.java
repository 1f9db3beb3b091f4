package fairgate.app.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestCluster;
import fairgate.TestEngines;
import fairgate.app.Main;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.KafkaBroker;
import fairgate.testkit.RedisCluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// `doctor` checks the configured engines.
class DoctorIT {
  /// The lines about the engines when each answers.
  private static final List<String> ENGINES =
      List.of("ok    redis of serve ", "ok    postgres of serve ");

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private static String database(PostgresAddress at, String password) {
    return "database:\n  url: postgresql://%s:%s@%s:%d/%s\n"
        .formatted(at.user(), password, at.host(), at.port(), at.database());
  }

  @Test
  void anUnreachableOrRefusingEngineIsReported() throws IOException {
    PostgresAddress at = TestEngines.shared().freshDatabase();
    try (RedisCluster cluster = TestCluster.start();
        KafkaBroker broker = KafkaBroker.down()) {
      String report =
          Eventually.get(
              "all engines answer in time",
              () -> doctor(cluster, database(at, at.password())),
              each -> ENGINES.stream().allMatch(each::contains));
      assertThat(report)
          .as("no engines beside those of the settings")
          .doesNotContain("PostgreSQL ran")
          .containsPattern(
              "ok    redis of serve +(Redis|Valkey) \\d+\\.\\d+\\.\\d+, 3 masters answer")
          .contains("ok    postgres of serve      PostgreSQL 18");
      cluster.kill(2);
      String kafka = "kafka:\n  bootstrap_servers: " + broker.address() + "\n";
      String failures =
          Eventually.get(
              "the other masters answer in time",
              () -> doctor(cluster, database(at, "secret-word") + kafka),
              each -> each.contains("no answer from " + cluster.node(2)));
      assertThat(failures)
          .contains("FAIL  redis of serve         no answer from " + cluster.node(2))
          .contains("FAIL  postgres of serve      postgresql refuses the login (")
          .contains("FAIL  kafka of serve")
          .doesNotContain("secret-word");
    }
  }

  @Test
  void withoutEnginesInTheSettingsThoseOfUpAreTried() throws IOException {
    assertThat(doctor("server:\n  port: 0\ndata_dir: %s\n".formatted(folder.resolve("data"))))
        .containsPattern(
            "ok    engines +(Redis|Valkey) \\d+\\.\\d+\\.\\d+ \\([^)]+\\) and PostgreSQL ran");
  }

  @Test
  void anUnsuitableDatabaseIsReportedOnce() throws Exception {
    PostgresAddress at = TestEngines.shared().freshDatabase();
    try (RedisCluster cluster = TestCluster.start();
        Connection connection =
            DriverManager.getConnection(TestEngines.jdbcUrl(at), at.user(), at.password());
        Statement statement = connection.createStatement()) {
      statement.execute(
          "ALTER DATABASE %s SET default_transaction_read_only = on".formatted(at.database()));
      String output =
          Eventually.get(
              "all engines answer in time",
              () -> doctor(cluster, database(at, at.password())),
              each -> ENGINES.stream().allMatch(each::contains));
      assertThat(output).contains("ok    postgres of serve      PostgreSQL 18");
      assertThat(output.lines().filter(line -> line.contains("takes no writes")))
          .singleElement()
          .asString()
          .startsWith("FAIL  postgresql: takes no writes");
    }
  }

  private String doctor(RedisCluster cluster, String more) throws IOException {
    return doctor(
        "redis:\n  url: %s\n  mode: cluster\nserver:\n  port: 0\ndata_dir: %s\n%s"
            .formatted(cluster.uri(0), folder.resolve("data"), more));
  }

  private String doctor(String text) throws IOException {
    Path settings = folder.resolve("fairgate.yaml");
    Files.writeString(settings, text);
    StringWriter out = new StringWriter();
    CommandLine commands = Main.commandLine();
    commands.setOut(new PrintWriter(out, true));
    commands.setErr(new PrintWriter(out, true));
    int _ = commands.execute("doctor", "--config", settings.toString());
    return out.toString();
  }
}
