package fairgate.app.command;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// The arguments of `prove`; ProveIT runs it.
class ProveCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private int prove(String... arguments) {
    CommandLine commands = Main.commandLine();
    commands.setOut(new PrintWriter(out, true));
    commands.setErr(new PrintWriter(err, true));
    return commands.execute(
        Stream.concat(Stream.of("prove"), Stream.of(arguments)).toArray(String[]::new));
  }

  @Test
  void unusableArgumentsAreExplained() {
    assertThat(prove("--nodes", "4")).isEqualTo(2);
    assertThat(err.toString()).contains("--nodes: 1 to 3");
    assertThat(prove("--only", "earthquake")).isEqualTo(2);
    assertThat(err.toString()).contains("--only: no fault earthquake", "redis-kill");
    assertThat(prove("--only", "twin-relays", "--nodes", "1")).isEqualTo(2);
    assertThat(err.toString()).contains("--only: twin-relays takes --nodes 2");
    assertThat(prove("--only", "kafka-down")).isEqualTo(2);
    assertThat(err.toString()).contains("--only: kafka-down takes --kafka-home");
    assertThat(prove("--only", "slot-move")).isEqualTo(2);
    assertThat(err.toString()).contains("--only: slot-move takes --redis-cluster");
    assertThat(prove("--only", "failover")).isEqualTo(2);
    assertThat(err.toString()).contains("--only: failover takes --redis-replicas");
    assertThat(prove("--only", "redis-kill", "--redis-replicas")).isEqualTo(2);
    assertThat(err.toString()).contains("--only: redis-kill takes no --redis-replicas");
    assertThat(prove("--redis-cluster", "--redis-replicas")).isEqualTo(2);
    assertThat(prove("--kafka-home", folder.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--kafka-home: " + folder + " has no libs");
    assertThat(prove("--minutes", "0")).isEqualTo(2);
    assertThat(prove("--help")).isZero();
    assertThat(out.toString())
        .contains("--minutes", "--seed", "--only", "--report", "--redis-cluster", "--kafka-home");
  }
}
