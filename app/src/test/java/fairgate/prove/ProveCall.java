package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.ServerProcess;
import fairgate.prove.check.Invariant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// A run of the command in a process of its own, as a user starts it, and what it said.
final class ProveCall {
  private final Path folder;

  ProveCall(Path folder) {
    this.folder = folder;
  }

  /// The exit code.
  int prove(String... more) {
    Stream<String> all =
        Stream.of(Stream.of("prove", "--report", page().toString()), Stream.of(more))
            .flatMap(part -> part);
    ProcessBuilder process =
        new ProcessBuilder(ServerProcess.command(all.toArray(String[]::new)))
            .redirectOutput(folder.resolve("out").toFile())
            .redirectError(folder.resolve("err").toFile());
    try {
      return process.start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  String out() {
    return said("out");
  }

  String err() {
    return said("err");
  }

  private String said(String name) {
    try {
      return Files.readString(folder.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path page() {
    return folder.resolve("proof.html");
  }

  /// Checks that every comparison held. Returns the invariants that were compared with something:
  /// in a short run chance decides of some.
  ///
  /// @param code that it exited with
  Set<Invariant> allHeld(int code) {
    // What did not hold comes first: a summary shows the start only.
    List<String> wrong = out().lines().filter(l -> !l.matches(" +(ok|[0-9,]+) .*")).toList();
    assertThat(code).as(String.join("\n", wrong) + "\n" + out() + "\n" + err()).isZero();
    assertThat(out()).contains("Everything held.");
    Set<Invariant> compared = EnumSet.noneOf(Invariant.class);
    for (Invariant invariant : Invariant.values()) {
      String line = " +[0-9,]+ +[0-9,]+  " + invariant + " .*";
      if (out().lines().anyMatch(l -> l.matches("  ok" + line))) {
        compared.add(invariant);
      } else {
        assertThat(out().lines()).as(out()).anyMatch(l -> l.matches("  not exercised" + line));
      }
    }
    return compared;
  }

  /// How often a line of the table's faults happened.
  long times(String what) {
    return out()
        .lines()
        .filter(line -> line.endsWith("  " + what))
        .mapToLong(line -> Long.parseLong(line.strip().split(" ", 2)[0].replace(",", "")))
        .findFirst()
        .orElse(0);
  }
}
