package fairgate.prove.environment;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A node as a child process, which ends with ours.
final class NodeProcess implements Launcher.Launched {
  /// By name, because no other package may import `app`.
  private static final String NODE = "fairgate.app.ProveNode";

  private static final String READY = "ready http://127.0.0.1:";
  private static final long STOP_SECONDS = 20;

  private final Process process;
  private final int port;

  private NodeProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /// As [Launcher#launch].
  ///
  /// @param java the start of the command line, up to the class path
  static Launcher.Launched start(
      List<String> java, Path home, Map<String, String> settings, Duration skew)
      throws IOException {
    Files.createDirectories(home);
    List<String> command = new ArrayList<>(java);
    command.addAll(List.of("-Xmx512m", NODE, Long.toString(skew.toMillis())));
    Path log = home.resolve("node.log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(home.toFile())
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
    // Settings of whoever started the proof are none of the nodes' business.
    builder
        .environment()
        .keySet()
        .removeIf(name -> !List.of("PATH", "HOME", "LANG", "TMPDIR").contains(name));
    builder.environment().putAll(settings);
    Process process = builder.start();
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith(READY)) {
        return new NodeProcess(process, Integer.parseInt(line.substring(READY.length())));
      }
    }
    throw new IOException("a node ended before it was ready; see " + log);
  }

  /// The Java, the options and the class path of this process. A node lives for seconds or minutes:
  /// one compiler and one collector thread start faster and leave more to the others.
  static List<String> java() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    // The cache for fast starts of the launcher holds for nodes, too.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith("-XX:AOTCache="))
        .forEach(command::add);
    command.addAll(List.of("-cp", absolute(System.getProperty("java.class.path"))));
    return command;
  }

  /// Nodes have working folders of their own.
  private static String absolute(String classPath) {
    return Stream.of(classPath.split(File.pathSeparator, -1))
        .map(part -> Path.of(part).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public void kill() {
    process.destroyForcibly();
    await();
  }

  @Override
  public void stop() {
    process.destroy();
    await();
  }

  private void await() {
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
