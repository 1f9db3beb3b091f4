package fairgate.platform.embedded;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Runs short commands.
final class Shell {
  /// A working directory that every user may enter.
  static final File ROOT = new File("/");

  private Shell() {}

  private static final int TIMED_OUT = 124;
  private static final int MAX_OUTPUT = 4096;

  /// @param output the output, including errors
  record Result(int code, String output) {
    /// Whether the command was killed by the time limit.
    boolean timedOut() {
      return code == TIMED_OUT;
    }

    boolean ok() {
      return code == 0;
    }
  }

  static Result run(List<String> command) {
    return run(command, "");
  }

  /// Runs a command with a time limit and without input, and reads at most 4 KB of its output.
  /// After the limit it is killed with its children, and the code is 124, as with `timeout`.
  static Result run(List<String> command, Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    try {
      Process process =
          new ProcessBuilder(command).directory(ROOT).redirectErrorStream(true).start();
      process.getOutputStream().close();
      // On a thread of its own, because a child may keep the output open after the program has
      // ended.
      CompletableFuture<byte[]> output = new CompletableFuture<>();
      Thread.ofVirtual().start(() -> read(process, output));
      try {
        byte[] bytes = output.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          return new Result(process.exitValue(), new String(bytes, StandardCharsets.UTF_8));
        }
      } catch (TimeoutException _) {
        // The process is killed below.
      } catch (ExecutionException e) {
        throw new IOException(e.getCause());
      } finally {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        Process _ = process.destroyForcibly();
      }
      return new Result(TIMED_OUT, "");
    } catch (IOException e) {
      return new Result(127, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException("interrupted while running " + command, e));
    }
  }

  private static void read(Process process, CompletableFuture<byte[]> output) {
    try {
      output.complete(process.getInputStream().readNBytes(MAX_OUTPUT));
    } catch (IOException e) {
      output.completeExceptionally(e);
    }
  }

  /// Runs a command with this input. The code is 127 when the program does not exist, as in a
  /// shell.
  static Result run(List<String> command, String input) {
    try {
      Process process =
          new ProcessBuilder(command).directory(ROOT).redirectErrorStream(true).start();
      try (var stdin = process.getOutputStream()) {
        stdin.write(input.getBytes(StandardCharsets.UTF_8));
      } catch (IOException _) {
        // The program ended without reading its input; its exit code and output are the result.
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
