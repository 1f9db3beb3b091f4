package fairgate.platform.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// What the supervisor needs to know of an engine.
interface Engine {
  /// For people and for the name of the log file: `redis`, `postgres`.
  String name();

  /// The folder with its data, a real path. Part of the command line, and so of `processes()`.
  Path data();

  /// The command of the next start, after whatever has to be cleared away before it.
  List<String> command() throws IOException;

  /// The name of the signal that stops it gracefully, without waiting for clients.
  String stopSignal();

  /// Whether it answers now.
  boolean isReady();

  /// The running processes (without their own children) of this engine with this data, of whatever
  /// server. Nobody else's process has both the engine's program and our own data folder in its
  /// command line.
  default Stream<ProcessHandle> processes() {
    return ProcessHandle.allProcesses()
        .filter(this::isOurs)
        .filter(process -> process.parent().filter(this::isOurs).isEmpty());
  }

  private boolean isOurs(ProcessHandle process) {
    ProcessHandle.Info info = process.info();
    String program =
        info.command().map(path -> path.substring(path.lastIndexOf('/') + 1)).orElse("");
    // Where the system packages Redis, its server may be a link to another of its programs.
    return (program.startsWith("redis-") || program.startsWith("postgres"))
        && info.arguments().stream()
            .flatMap(Stream::of)
            .anyMatch(word -> word.equals(data().toString()) || word.startsWith(data() + "/"));
  }
}
