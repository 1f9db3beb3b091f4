package fairgate.bench;

import fairgate.platform.postgres.PostgresSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// A node in a process of its own, on the engines and with the secrets of another server.
record Node(Process process, int port, Wrk wrk) implements AutoCloseable {
  /// Starts it, and waits until it accepts requests.
  ///
  /// @param more of the environment; replaces the engines
  static Node start(Child server, Path folder, Map<String, String> more) throws IOException {
    List<String> command = Child.java(List.of());
    command.addAll(List.of("-cp", server.jar().toString(), "fairgate.app.ProveNode", "0"));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
    Map<String, String> environment = builder.environment();
    environment.put("REDIS_URL", "unix://" + server.redisSocket());
    environment.put("DATABASE_URL", url(server.postgres()));
    environment.put("FAIRGATE_MASTER_SECRET", server.masterSecret());
    environment.put("FAIRGATE_OPERATOR_TOKEN", server.token());
    environment.put("FAIRGATE_LIMITS", "off");
    environment.put("FAIRGATE_DATA_DIR", folder.toString());
    environment.putAll(more);
    Process process = builder.start();
    BufferedReader out = process.inputReader();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith("ready ")) {
        Thread.ofPlatform().daemon().start(() -> out.lines().forEach(_ -> {}));
        int port = URI.create(line.substring(6).strip()).getPort();
        return new Node(process, port, new Wrk(port, Files.createDirectories(folder)));
      }
    }
    throw new IOException("a node did not start");
  }

  static String url(PostgresSettings postgres) {
    return "postgresql://%s:%s@%s:%d/%s"
        .formatted(
            postgres.user(),
            postgres.password(),
            postgres.host(),
            postgres.port(),
            postgres.database());
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
