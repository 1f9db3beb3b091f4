package fairgate.platform.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A program that runs only the engines, for tests to kill. Prints one line when they respond: the
/// two pids and the Redis URI.
final class EngineHost {
  static final String CLASS_PATH = System.getProperty("java.class.path");

  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
  private static final List<String> NEEDED =
      List.of(
          "fairgate-engines",
          "fairgate-testkit",
          "embedded-redis",
          "binaries-linux",
          "commons-",
          "xz",
          "slf4j",
          "logback");

  private EngineHost() {}

  public static void main(String[] args) throws IOException {
    try (EmbeddedEngines engines =
        EmbeddedEngines.start(Path.of(args[0]), EngineOptions.durable())) {
      long redis = engines.redisPid();
      System.out.println(redis + " " + engines.postgresPid() + " " + engines.redisUri());
      while (System.in.read() >= 0) {
        // Runs until standard input ends.
      }
    }
  }

  /// The running program and its output.
  record Started(Process process, long redisPid, long postgresPid, String redisUri) {}

  static Started start(Path data) throws IOException {
    return awaitReady(launch(List.of(), CLASS_PATH, data));
  }

  /// @param prefix a command that runs the rest as another user
  static Process launch(List<String> prefix, String classPath, Path data) throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of(JAVA.toString(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", classPath, EngineHost.class.getName()));
    command.add(data.toString());
    return new ProcessBuilder(command).start();
  }

  static Started awaitReady(Process process) throws IOException {
    BufferedReader output = process.inputReader();
    for (String line; (line = output.readLine()) != null; ) {
      String[] words = line.split(" ", -1);
      if (line.contains("unix://") && words.length == 3) {
        return new Started(process, Long.parseLong(words[0]), Long.parseLong(words[1]), words[2]);
      }
    }
    throw new AssertionError(new String(process.getErrorStream().readAllBytes(), UTF_8));
  }

  /// The class path for other users, who may have no access to the Maven repository.
  ///
  /// @param jars an empty folder for copies
  static String readableClassPath(Path jars) throws IOException {
    List<String> entries = new ArrayList<>();
    for (String entry : CLASS_PATH.split(":", -1)) {
      Path path = Path.of(entry);
      String name = String.valueOf(path.getFileName());
      if (Files.isDirectory(path)) {
        entries.add(entry);
      } else if (NEEDED.stream().anyMatch(name::contains)) {
        entries.add(Files.copy(path, jars.resolve(name)).toString());
      }
    }
    return String.join(":", entries);
  }
}
