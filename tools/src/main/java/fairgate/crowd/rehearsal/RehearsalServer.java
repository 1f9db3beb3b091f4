package fairgate.crowd.rehearsal;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/// The server of a rehearsal: `fairgate up` as a child process, with temporary data.
public final class RehearsalServer implements AutoCloseable {
  private static final String READY = "ready ";
  private static final long STOP_SECONDS = 20;

  private final Process process;
  private final Path data;
  private final Target target;

  private final Deletion deletion;

  private RehearsalServer(Process process, Path data, Target target, Deletion deletion) {
    this.process = process;
    this.data = data;
    this.target = target;
    this.deletion = deletion;
  }

  /// Deletes the data of a server that has ended, with those of its engines.
  @FunctionalInterface
  public interface Deletion {
    void delete(Path data) throws IOException;
  }

  /// Starts the server and waits until it accepts requests. Visitors' addresses are those of
  /// `X-Forwarded-For`; the challenge accepts the test token, because proof of work is simulated by
  /// time. Throws IllegalStateException, with a text for the operator, if it does not start.
  ///
  /// @param program the command that runs `fairgate`
  /// @param gate whether rate limits apply
  /// @param deletion runs when the server is closed
  public static RehearsalServer start(List<String> program, boolean gate, Deletion deletion)
      throws IOException {
    Path data = Files.createTempDirectory("fairgate-rehearsal-");
    String token = UUID.randomUUID().toString().repeat(2);
    List<String> command = new ArrayList<>(program);
    command.addAll(List.of("up", "--port", "0", "--no-demo", "--data", data.toString()));
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
        Target target = Target.of(line.substring(READY.length()), token);
        return new RehearsalServer(process, data, target, deletion);
      }
    }
    throw new IllegalStateException(
        "no server for the rehearsal: see " + data.resolve("server.log"));
  }

  /// The same server for the attack zoo, with the codes of its development verifier.
  public ZooServer zoo() {
    return new ZooServer(target, Optional.of(data.resolve("secrets/one-time-codes")));
  }

  /// Where it is.
  public Target target() {
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
    deletion.delete(data);
  }
}
