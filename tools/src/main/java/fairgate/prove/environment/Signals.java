package fairgate.prove.environment;

import java.io.IOException;
import java.io.UncheckedIOException;

/// Signals to processes of our own.
final class Signals {
  private Signals() {}

  /// @param name `STOP`, `CONT`, `KILL`
  static void send(String name, long pid) {
    try {
      Process kill =
          new ProcessBuilder("bash", "-c", "kill -s " + name + " " + pid)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      int _ = kill.waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
