package fairgate.app;

import fairgate.prove.environment.Launcher;
import fairgate.prove.environment.ProofEnvironment;
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

  /// The cache for fast starts. `AotCacheIT` writes it, as one of the first tests.
  public static Path aotCache() {
    return Path.of(jar() + ".aot");
  }

  /// The command line of the program.
  public static List<String> command(String... arguments) {
    List<String> command = java();
    command.addAll(JAR.isEmpty() ? List.of(Main.class.getName()) : List.of("-jar", JAR));
    command.addAll(List.of(arguments));
    return command;
  }

  /// Nodes of a proof: of the jar where there is one, because they then start with the cache.
  public static Launcher nodes() {
    if (JAR.isEmpty()) {
      return ProofEnvironment.processes();
    }
    List<String> command = java();
    command.addAll(List.of("-cp", JAR));
    return ProofEnvironment.processes(command);
  }

  private static List<String> java() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.add("--enable-native-access=ALL-UNNAMED");
    if (JAR.isEmpty()) {
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      return command;
    }
    // Java prints a warning if the cache is one of an older jar, and starts without it.
    command.add("-Xlog:disable");
    if (Files.exists(aotCache())) {
      command.add("-XX:AOTCache=" + aotCache());
    }
    return command;
  }
}
