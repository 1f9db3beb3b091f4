package fairgate.bench;

import fairgate.platform.postgres.PostgresSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// The server under test: `fairgate up` as a child process, with its own engines, which sync every
/// write; with the `test` challenge and without rate limits.
public final class Child implements AutoCloseable {
  private final Process process;
  private final Path jar;
  private final Path data;
  private final int port;

  private Child(Process process, Path jar, Path data, int port) {
    this.process = process;
    this.jar = jar;
    this.data = data;
    this.port = port;
  }

  /// Starts it, and waits until it accepts requests.
  ///
  /// @param more of the environment
  public static Child start(Path jar, Path data, Map<String, String> more) throws IOException {
    return start(jar, data, more, List.of());
  }

  /// The same.
  ///
  /// @param options further options of Java
  static Child start(Path jar, Path data, Map<String, String> more, List<String> options)
      throws IOException {
    List<String> command = java(options);
    command.addAll(List.of("-jar", jar.toString(), "up", "--port", "0", "--no-demo"));
    command.addAll(List.of("--data", data.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("FAIRGATE_CHALLENGE", "test");
    builder.environment().put("FAIRGATE_LIMITS", "off");
    builder.environment().putAll(more);
    Process process = builder.start();
    BufferedReader out = process.inputReader();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith("ready ")) {
        Thread.ofPlatform().daemon().start(() -> out.lines().forEach(_ -> {}));
        return new Child(process, jar, data, URI.create(line.substring(6).strip()).getPort());
      }
    }
    throw new IOException("the server did not start");
  }

  /// Writes an AOT cache for servers that are started like this one.
  static void train(Path jar, Path cache) throws IOException, InterruptedException {
    List<String> command = java(List.of("-Xlog:disable", "-XX:AOTCacheOutput=" + cache));
    command.addAll(List.of("-jar", jar.toString(), "aot-training"));
    int code =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start()
            .waitFor();
    if (code != 0) {
      throw new IOException("no AOT cache: exit code " + code);
    }
  }

  /// Java with the options of `./fairgate`, which also builds and so cannot be used here.
  static List<String> java(List<String> more) {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:MaxRAMPercentage=25"));
    if (System.getProperty("os.name").equals("Linux")) {
      command.add("-XX:+UseTransparentHugePages");
    }
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED"));
    command.add("--sun-misc-unsafe-memory-access=allow");
    String options = System.getenv("FAIRGATE_JAVA_OPTS");
    if (options != null && !options.isBlank()) {
      command.addAll(List.of(options.strip().split(" +", -1)));
    }
    command.addAll(more);
    return command;
  }

  Path jar() {
    return jar;
  }

  public int port() {
    return port;
  }

  public long pid() {
    return process.pid();
  }

  /// Processor time the server and its Redis have used, in seconds.
  double processorSeconds() {
    Stream<ProcessHandle> redis =
        process.descendants().filter(one -> one.info().command().orElse("").contains("redis"));
    return Stream.concat(Stream.of(process.toHandle()), redis)
        .mapToDouble(one -> one.info().totalCpuDuration().orElse(Duration.ZERO).toMillis() / 1e3)
        .sum();
  }

  /// Processor time of one part, in seconds: `java`, `redis` or `postgres`, with its processes that
  /// still run.
  double processorSeconds(String part) {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants())
        .filter(one -> program(one).contains(part))
        .mapToDouble(one -> one.info().totalCpuDuration().orElse(Duration.ZERO).toMillis() / 1e3)
        .sum();
  }

  private static String program(ProcessHandle one) {
    String command = one.info().command().orElse("");
    return command.substring(command.lastIndexOf('/') + 1);
  }

  public String token() throws IOException {
    return Files.readString(data.resolve("secrets/operator-token")).strip();
  }

  String masterSecret() throws IOException {
    return Files.readString(data.resolve("secrets/master-secret")).strip();
  }

  public Path redisSocket() {
    return data.resolve("engines/redis/redis.sock");
  }

  public PostgresSettings postgres() throws IOException {
    Path engines = data.resolve("engines");
    String password = Files.readString(engines.resolve("postgres-password/password")).strip();
    String listens = Files.readAllLines(engines.resolve("postgres/postmaster.pid")).get(3);
    return new PostgresSettings(
        "127.0.0.1", Integer.parseInt(listens.strip()), "fairgate", password, "fairgate", 2);
  }

  public void create(String product, int units, String policy)
      throws IOException, InterruptedException {
    operator().create(product, units, policy);
  }

  public void open(String product) throws IOException, InterruptedException {
    operator().open(product);
  }

  public AdminApi operator() throws IOException {
    return new AdminApi(port, token());
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
