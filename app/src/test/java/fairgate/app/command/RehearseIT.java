package fairgate.app.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import fairgate.TestEngines;
import fairgate.app.Main;
import fairgate.app.TestFairgate;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import picocli.CommandLine;

/// Rehearses a sale with few buyers.
class RehearseIT {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private int rehearse(String... more) {
    List<String> arguments = new ArrayList<>(List.of("rehearse"));
    arguments.addAll(List.of("--buyers", "60", "--bots", "24", "--units", "12"));
    arguments.addAll(List.of("--arrival", "4", "--longest", "60", "--bot-addresses", "5"));
    arguments.addAll(List.of("--report", page().toString()));
    arguments.addAll(List.of(more));
    CommandLine commands = Main.commandLine();
    commands.setOut(new PrintWriter(out, true));
    commands.setErr(new PrintWriter(err, true));
    return commands.execute(arguments.toArray(String[]::new));
  }

  private Path page() {
    return folder.resolve("rehearsal.html");
  }

  @Test
  @Execution(CONCURRENT)
  void itComparesItsOwnServersWithAndWithoutTheGate() throws IOException {
    assertThat(rehearse()).as(err + "\n" + out).isZero();
    assertThat(out.toString())
        .contains("== gate off ==", "== gate on ==", "12 of 12 units sold", "Refusals:")
        .containsPattern("honest buyers +60 ")
        .containsPattern("bots +24 ")
        .doesNotContain("OVERSOLD", "SERVER_ERROR")
        .as("most honest buyers join, with the gate as well")
        .doesNotContainPattern("honest buyers +60 +[0-3]?[0-9] ");
    assertThat(err.toString()).contains("[###", "of 84 gone", "of 12 units");
    assertThat(Files.readString(page()))
        .contains("Share of units that bots got", "The queue over time", "Refusals by reason")
        .contains("<svg", "99th percentile")
        .as("one page that needs nothing else")
        .doesNotContain("<script", "<link", "src=", "http://", "https://");
  }

  @Test
  @Execution(CONCURRENT)
  void itCreatesASaleOnAStagingServer() {
    try (TestFairgate staging =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("server.trusted_proxies", "127.0.0.1"))) {
      String[] arguments = {
        "--url",
        staging.baseUrl().toString(),
        "--operator-token",
        TestFairgate.OPERATOR,
        "--forwarded"
      };
      assertThat(rehearse(arguments)).as(err + "\n" + out).isZero();
    }
    assertThat(out.toString()).contains("== as it is ==", "12 of 12 units sold");
  }

  @Test
  void unusableArgumentsAreExplained() {
    assertThat(rehearse("--url", "http://127.0.0.1:1", "--operator-token", "x")).isOne();
    assertThat(err.toString()).contains("did not create a sale").doesNotContain("\tat ");
    assertThat(rehearse("--preset", "nothing")).isEqualTo(2);
    assertThat(err.toString()).contains("--preset: flash or queue");
  }
}
