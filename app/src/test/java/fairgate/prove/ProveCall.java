package fairgate.prove;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.Main;
import fairgate.prove.check.Invariant;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/// A call of the command, and what it said.
public final class ProveCall {
  private static final Path LOCK = Path.of("target", "prove.lock");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final Path page;

  public ProveCall(Path page) {
    this.page = page;
  }

  /// The exit code. Only one runs at a time, whatever other classes of tests do meanwhile: two
  /// would take the processors from each other, and faults would come too seldom.
  public int prove(String... more) {
    CommandLine commands = Main.commandLine();
    commands.setOut(new PrintWriter(out, true));
    commands.setErr(new PrintWriter(err, true));
    Stream<String> all =
        Stream.of(Stream.of("prove", "--report", page.toString()), Stream.of(more))
            .flatMap(part -> part);
    try (FileChannel file = FileChannel.open(LOCK, CREATE, WRITE);
        FileLock _ = file.lock()) {
      return commands.execute(all.toArray(String[]::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String out() {
    return out.toString();
  }

  public String err() {
    return err.toString();
  }

  public Path page() {
    return page;
  }

  /// Every comparison held, and every invariant was compared with something.
  ///
  /// @param code that it exited with
  /// @param elsewhere invariants that these faults do not touch
  public void allHeld(int code, String... elsewhere) {
    List<String> left = List.of(elsewhere);
    // What did not hold comes first: a summary shows the start only.
    List<String> wrong = out().lines().filter(l -> !l.matches(" +(ok|[0-9,]+) .*")).toList();
    assertThat(code).as(String.join("\n", wrong) + "\n" + out + "\n" + err).isZero();
    assertThat(out()).contains("Everything held.");
    for (String line : out().lines().filter(l -> l.matches(".* I\\d+ .*")).toList()) {
      boolean untouched = left.stream().anyMatch(name -> line.contains(" " + name + " "));
      assertThat(line).as(out()).matches(untouched ? "  (ok|not exercised) .*" : "  ok .*");
    }
    assertThat(out().lines().filter(l -> l.matches("  (ok|not exercised) .*")))
        .hasSize(Invariant.values().length);
  }

  /// How often a line of the table's faults happened.
  public long times(String what) {
    return out()
        .lines()
        .filter(line -> line.endsWith("  " + what))
        .mapToLong(line -> Long.parseLong(line.strip().split(" ", 2)[0].replace(",", "")))
        .findFirst()
        .orElse(0);
  }
}
