package fairgate.prove.environment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Resource limits of a running child process.
public final class Limits {
  private Limits() {}

  /// Whether there is a `prlimit` on this machine.
  public static boolean there() {
    return runs(List.of("prlimit", "--version"));
  }

  /// Limits the size of the process's files; returns whether that was possible.
  ///
  /// @param owned a folder of the user that the process runs as: in a container, even root cannot
  ///   limit processes of others
  static boolean fileSize(long pid, long bytes, Path owned) throws IOException {
    List<String> limit = List.of("prlimit", "--pid", Long.toString(pid), "--fsize=" + bytes + ":");
    List<String> asOwner =
        new ArrayList<>(
            List.of(
                "setpriv",
                "--reuid=" + Files.getAttribute(owned, "unix:uid"),
                "--regid=" + Files.getAttribute(owned, "unix:gid"),
                "--clear-groups",
                "--"));
    asOwner.addAll(limit);
    return runs(limit) || runs(asOwner);
  }

  private static boolean runs(List<String> command) {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException _) {
      // There is no such program.
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
