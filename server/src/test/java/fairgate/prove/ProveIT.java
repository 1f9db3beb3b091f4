package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// The command itself, on two nodes and real engines that die: a short proof.
class ProveIT {
  private static final String FAULTS =
      "node-kill,node-kill-after,cut-replies,redis-kill,script-flush,relay-kill,postgres-kill,"
          + "pause,add-stock,log-cut,out-of-memory,old-copy";

  /// Codes are not claimed here.
  private static final String ELSEWHERE = " I17 ";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private int prove(String... more) {
    CommandLine commands = Main.commandLine();
    commands.setOut(new PrintWriter(out, true));
    commands.setErr(new PrintWriter(err, true));
    Stream<String> all =
        Stream.of(Stream.of("prove", "--report", page().toString()), Stream.of(more))
            .flatMap(part -> part);
    return commands.execute(all.toArray(String[]::new));
  }

  private Path page() {
    return folder.resolve("proof.html");
  }

  @Test
  void everythingHoldsWhateverDies() throws IOException {
    int code = prove("--minutes", "0.6", "--nodes", "2", "--seed", "7", "--only", FAULTS);
    assertThat(code).as(err + "\n" + out).isZero();
    assertThat(out.toString()).contains("Everything held.", "Seed 7, 2 nodes");
    assertThat(err.toString()).contains("--seed 7 --minutes 0.6 --nodes 2 --only " + FAULTS);
    for (String line : out.toString().lines().filter(l -> l.matches(".* I\\d+ .*")).toList()) {
      String expected = line.contains(ELSEWHERE) ? "  not exercised " : "  ok ";
      assertThat(line).startsWith(expected);
    }
    assertThat(out.toString().lines().filter(l -> l.startsWith("  ok "))).hasSize(19);
    assertThat(Files.readString(page()))
        .contains("Everything held.", "server killed (-9) under load", "<svg", "I20")
        .as("one page that needs nothing else")
        .doesNotContain("<script", "<link", "src=", "http://", "https://");
  }

  @Test
  void whatItCannotUseIsToldInWords() {
    assertThat(prove("--nodes", "4")).isEqualTo(2);
    assertThat(err.toString()).contains("--nodes: 1 to 3");
    assertThat(prove("--only", "earthquake")).isEqualTo(2);
    assertThat(err.toString()).contains("--only: no fault earthquake", "redis-kill");
    assertThat(prove("--only", "twin-relays", "--nodes", "1")).isEqualTo(2);
    assertThat(err.toString()).contains("--only: twin-relays takes --nodes 2");
    assertThat(prove("--minutes", "0")).isEqualTo(2);
    assertThat(prove("--help")).isZero();
    assertThat(out.toString()).contains("--minutes", "--seed", "--only", "--report");
  }
}
