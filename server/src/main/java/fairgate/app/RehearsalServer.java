package fairgate.app;

import fairgate.crowd.rehearsal.Target;
import fairgate.platform.embedded.Folders;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/// A server of its own for a rehearsal: `fairgate up` as a child process, with data of its own that
/// is thrown away.
final class RehearsalServer implements AutoCloseable {
  private static final String READY = "ready ";
  private static final long STOP_SECONDS = 20;

  private final Process process;
  private final Path data;
  private final Target target;

  private RehearsalServer(Process process, Path data, Target target) {
    this.process = process;
    this.data = data;
    this.target = target;
  }

  /// Starts it and waits until it accepts requests. Visitors' addresses are those of
  /// `X-Forwarded-For`; proofs of work are paid in time, so the door takes the test token.
  ///
  /// @param gate whether there are rate limits
  static RehearsalServer start(boolean gate) throws IOException {
    Path data = Files.createTempDirectory("fairgate-rehearsal-");
    String token = UUID.randomUUID().toString().repeat(2);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Main.class.getName(), "up", "--port", "0", "--no-demo"));
    command.addAll(List.of("--data", data.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(data.resolve("server.log").toFile());
    builder.environment().put("FAIRGATE_OPERATOR_TOKEN", token);
    builder.environment().put("FAIRGATE_CHALLENGE", "test");
    builder.environment().put("FAIRGATE_LIMITS", gate ? "on" : "off");
    builder.environment().put("FAIRGATE_SERVER_TRUSTED_PROXIES", "127.0.0.1");
    Process process = builder.start();
    // Read to its end by this process; closing it early would stop a child that still prints.
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith(READY)) {
        return new RehearsalServer(process, data, Target.of(line.substring(READY.length()), token));
      }
    }
    throw new StartFailed("no server for the rehearsal: see " + data.resolve("server.log"));
  }

  Target target() {
    return target;
  }

  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    Folders.delete(data);
  }
}
