package fairgate.app;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The program in a process of its own, so that it can be killed: `fairgate up` with its engines.
public final class ServerProcess implements AutoCloseable {
  /// Set where the tests of all modules run, after the packages.
  private static final String JAR = System.getProperty("fairgate.jar", "");

  private static final String READY = "ready http://127.0.0.1:";

  private final Process process;
  private final int port;

  private ServerProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /// Starts it and waits until it accepts requests.
  public static ServerProcess up(Path data, Map<String, String> environment) {
    List<String> command = command("up", "--port", "0", "--no-demo", "--data", data.toString());
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("FAIRGATE_CHALLENGE", "test");
    builder.environment().put("FAIRGATE_LIMITS", "off");
    builder.environment().put("FAIRGATE_SERVER_WARM_UP_MS", "0");
    builder.environment().put("FAIRGATE_OPERATOR_TOKEN", TestFairgate.OPERATOR);
    builder.environment().putAll(environment);
    try {
      Files.createDirectories(data);
      builder.redirectError(
          ProcessBuilder.Redirect.appendTo(data.resolve("server-err.log").toFile()));
      Process process = builder.start();
      BufferedReader out = new BufferedReader(process.inputReader(StandardCharsets.UTF_8));
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (line.startsWith(READY)) {
          return new ServerProcess(process, Integer.parseInt(line.substring(READY.length())));
        }
      }
      throw new AssertionError(
          "the server ended before it was ready: "
              + Files.readString(data.resolve("server-err.log")));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  public int port() {
    return port;
  }

  public long pid() {
    return process.pid();
  }

  /// Kills it with `kill -9` and waits for its end.
  void kill() {
    process.destroyForcibly();
    await();
  }

  private void await() {
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        throw new AssertionError("the server does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    process.destroy();
    await();
  }

  /// The jar of the program.
  public static String jar() {
    if (JAR.isEmpty()) {
      throw new AssertionError("needs the jar: ./fairgate test -Dtest=NAME runs one class with it");
    }
    return JAR;
  }

  /// The command line of the program. With a jar, the first process that ends stores its classes
  /// for later ones.
  public static List<String> command(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("--sun-misc-unsafe-memory-access=allow");
    if (JAR.isEmpty()) {
      command.add("--enable-native-access=ALL-UNNAMED");
      command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    } else {
      // Java prints a warning if the archive is one of an older jar, and replaces it.
      command.addAll(List.of("-Xlog:disable", "-XX:+AutoCreateSharedArchive"));
      command.addAll(List.of("-XX:SharedArchiveFile=" + JAR + ".jsa", "-jar", JAR));
    }
    command.addAll(List.of(arguments));
    return command;
  }
}
