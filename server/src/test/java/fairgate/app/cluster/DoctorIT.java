package fairgate.app.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestCluster;
import fairgate.TestEngines;
import fairgate.app.Main;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.KafkaBroker;
import fairgate.testkit.RedisCluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// `doctor` asks the engines that the settings name.
class DoctorIT {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private static String database(PostgresAddress at, String password) {
    return "database:\n  url: postgresql://%s:%s@%s:%d/%s\n"
        .formatted(at.user(), password, at.host(), at.port(), at.database());
  }

  @Test
  void whatIsAwayOrLetsNobodyInIsNamed() throws IOException {
    PostgresAddress at = TestEngines.shared().freshDatabase();
    try (RedisCluster cluster = TestCluster.start();
        KafkaBroker broker = KafkaBroker.down()) {
      assertThat(doctor(cluster, database(at, at.password())))
          .contains("ok    redis of serve         3 masters answer")
          .contains("ok    postgres of serve      PostgreSQL 18");
      cluster.kill(2);
      String kafka = "kafka:\n  bootstrap_servers: " + broker.address() + "\n";
      assertThat(doctor(cluster, database(at, "secret-word") + kafka))
          .contains("FAIL  redis of serve         no answer from " + cluster.node(2))
          .contains("FAIL  postgres of serve      not usable: postgresql: ")
          .contains("FAIL  kafka of serve")
          .doesNotContain("secret-word");
    }
  }

  private String doctor(RedisCluster cluster, String more) throws IOException {
    Path settings = folder.resolve("fairgate.yaml");
    Files.writeString(
        settings,
        "redis:\n  url: %s\n  mode: cluster\nserver:\n  port: 0\ndata_dir: %s\n%s"
            .formatted(cluster.uri(0), folder.resolve("data"), more));
    StringWriter out = new StringWriter();
    CommandLine commands = Main.commandLine();
    commands.setOut(new PrintWriter(out, true));
    commands.setErr(new PrintWriter(out, true));
    int _ = commands.execute("doctor", "--config", settings.toString());
    return out.toString();
  }
}
