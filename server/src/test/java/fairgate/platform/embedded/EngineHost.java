package fairgate.platform.embedded;

import java.io.IOException;
import java.nio.file.Path;

/// A program that runs the engines and nothing else, for tests to kill. Prints one line when they
/// answer: the two pids, the Redis URI and the PostgreSQL URL.
final class EngineHost {
  private EngineHost() {}

  public static void main(String[] args) throws IOException {
    try (EmbeddedEngines engines =
        EmbeddedEngines.start(Path.of(args[0]), EngineOptions.durable())) {
      System.out.println(
          String.join(
              " ",
              Long.toString(engines.redisPid()),
              Long.toString(engines.postgresPid()),
              engines.redisUri(),
              engines.postgres().url()));
      while (System.in.read() >= 0) {
        // Until standard input ends.
      }
    }
  }
}
