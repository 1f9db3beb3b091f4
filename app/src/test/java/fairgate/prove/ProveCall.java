package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.ServerProcess;
import fairgate.prove.check.Invariant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

  /// Every comparison held, and every invariant was compared with something.
  ///
  /// @param code that it exited with
  /// @param elsewhere invariants that these faults do not touch
  void allHeld(int code, String... elsewhere) {
    List<String> left = List.of(elsewhere);
    // What did not hold comes first: a summary shows the start only.
    List<String> wrong = out().lines().filter(l -> !l.matches(" +(ok|[0-9,]+) .*")).toList();
    assertThat(code).as(String.join("\n", wrong) + "\n" + out() + "\n" + err()).isZero();
    assertThat(out()).contains("Everything held.");
    for (String line : out().lines().filter(l -> l.matches(".* I\\d+ .*")).toList()) {
      boolean untouched = left.stream().anyMatch(name -> line.contains(" " + name + " "));
      assertThat(line).as(out()).matches(untouched ? "  (ok|not exercised) .*" : "  ok .*");
    }
    assertThat(out().lines().filter(l -> l.matches("  (ok|not exercised) .*")))
        .hasSize(Invariant.values().length);
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
