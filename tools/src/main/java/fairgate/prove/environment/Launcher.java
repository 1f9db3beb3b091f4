package fairgate.prove.environment;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/// Starts a node of the server, usually as a process.
@FunctionalInterface
public interface Launcher {
  /// Returns once it accepts requests.
  ///
  /// @param home its folder, kept over restarts
  /// @param settings environment variables of the server
  /// @param skew by how much its clock is wrong
  Launched launch(Path home, Map<String, String> settings, Duration skew) throws IOException;

  /// A running node.
  interface Launched {
    int port();

    /// `kill -9`, and waits until it is gone.
    void kill();

    /// Asks it to end, and waits until it has.
    void stop();
  }
}
