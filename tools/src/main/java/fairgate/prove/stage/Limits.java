package fairgate.prove.stage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// What a running process of our own may use.
public final class Limits {
  private Limits() {}

  /// Whether there is a `prlimit` on this machine.
  public static boolean there() {
    return runs(List.of("prlimit", "--version"));
  }

  /// No file of the process grows beyond so many bytes; whether that could be said.
  ///
  /// @param owned a folder of the user it runs as: in a container not even root may say so of
  ///   others
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
