package fairgate.platform.embedded;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Runs short commands to their end.
final class Shell {
  /// Another user may not be allowed to stand where we stand.
  static final File ROOT = new File("/");

  private Shell() {}

  /// @param output what it wrote, errors included
  record Result(int code, String output) {
    boolean ok() {
      return code == 0;
    }
  }

  static Result run(List<String> command) {
    return run(command, "");
  }

  /// Runs the command with this input. A program that does not exist has the code 127, as in a
  /// shell.
  static Result run(List<String> command, String input) {
    try {
      Process process =
          new ProcessBuilder(command).directory(ROOT).redirectErrorStream(true).start();
      try (var stdin = process.getOutputStream()) {
        stdin.write(input.getBytes(StandardCharsets.UTF_8));
      } catch (IOException _) {
        // The program ended without reading; its code and output tell.
      }
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Result(process.waitFor(), output);
    } catch (IOException e) {
      return new Result(127, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException("interrupted while running " + command, e));
    }
  }
}
