package fairgate.platform.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// An engine, as the supervisor sees it.
interface Engine {
  /// The name for messages and the log file: `redis`, `postgres`.
  String name();

  /// The data folder, a real path. It is part of the command line, by which `processes()` finds the
  /// processes.
  Path data();

  /// Prepares the next start and returns its command.
  List<String> command() throws IOException;

  /// The name of the signal for a graceful stop without waiting for clients.
  String stopSignal();

  boolean isReady();

  /// The running processes (without their children) of this engine on this data, started by any
  /// server. Only such a process has both the engine's program and our data folder in its command
  /// line.
  default Stream<ProcessHandle> processes() {
    return ProcessHandle.allProcesses()
        .filter(this::isOurs)
        .filter(process -> process.parent().filter(this::isOurs).isEmpty());
  }

  private boolean isOurs(ProcessHandle process) {
    ProcessHandle.Info info = process.info();
    String program =
        info.command().map(path -> path.substring(path.lastIndexOf('/') + 1)).orElse("");
    // The server of a packaged Redis may be a link to another of its programs.
    return Stream.of("redis-", "valkey-", "postgres").anyMatch(program::startsWith)
        && info.arguments().stream()
            .flatMap(Stream::of)
            .anyMatch(word -> word.equals(data().toString()) || word.startsWith(data() + "/"));
  }
}
