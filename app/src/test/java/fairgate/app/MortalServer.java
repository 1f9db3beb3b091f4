package fairgate.app;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.LoggerFactory;

/// A node in a process of its own that dies, as if killed, when it logs a certain line: after a
/// commit and before the response. It must be armed first, so lines during a test's preparation do
/// not kill it.
public final class MortalServer implements AutoCloseable {
  private static final String ARM = "arm";
  private static final String ARMED = "armed";

  private final Process process;
  private final BufferedReader out;
  private final int port;

  private MortalServer(Process process, BufferedReader out, int port) {
    this.process = process;
    this.out = out;
    this.port = port;
  }

  /// Runs in the child: `logger, beginning of the line, redis, database URL parts, settings`.
  public static void main(String[] args) throws IOException {
    AtomicBoolean armed = new AtomicBoolean();
    Logger logger = (Logger) LoggerFactory.getLogger(args[0]);
    logger.setLevel(Level.DEBUG);
    AppenderBase<ILoggingEvent> death =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            if (armed.get() && event.getFormattedMessage().startsWith(args[1])) {
              Runtime.getRuntime().halt(137);
            }
          }
        };
    death.setContext(logger.getLoggerContext());
    death.start();
    logger.addAppender(death);
    TestFairgate node =
        TestFairgate.start(
            args[2],
            new PostgresAddress(args[3], Integer.parseInt(args[4]), args[5], args[6], args[7]),
            settings(List.of(args).subList(8, args.length)));
    System.out.println("port " + node.port());
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String text = in.readLine(); text != null; text = in.readLine()) {
      if (text.equals(ARM)) {
        armed.set(true);
        System.out.println(ARMED);
      }
    }
  }

  private static Map<String, String> settings(List<String> pairs) {
    Map<String, String> settings = new HashMap<>();
    for (String pair : pairs) {
      int equals = pair.indexOf('=');
      settings.put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    return settings;
  }

  /// Starts a node on shared engines that dies only when killed.
  public static MortalServer start(TestEngines engines, PostgresAddress database) {
    return start(engines, database, Map.of());
  }

  /// The same.
  ///
  /// @param settings as on the command line, by their paths
  public static MortalServer start(
      TestEngines engines, PostgresAddress database, Map<String, String> settings) {
    return start(engines, database, MortalServer.class.getName(), "never said", settings);
  }

  /// Starts a node on shared engines.
  ///
  /// @param logger whose line kills it
  /// @param line the line's beginning
  public static MortalServer start(
      TestEngines engines, PostgresAddress database, String logger, String line) {
    return start(engines, database, logger, line, Map.of());
  }

  /// The same.
  ///
  /// @param settings as on the command line, by their paths
  public static MortalServer start(
      TestEngines engines,
      PostgresAddress database,
      String logger,
      String line,
      Map<String, String> settings) {
    List<String> command = command(engines, database, logger, line);
    settings.forEach((path, value) -> command.add(path + "=" + value));
    return started(command);
  }

  private static List<String> command(
      TestEngines engines, PostgresAddress database, String logger, String line) {
    return new ArrayList<>(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            MortalServer.class.getName(),
            logger,
            line,
            engines.redisUri(),
            database.host(),
            Integer.toString(database.port()),
            database.user(),
            database.password(),
            database.database()));
  }

  private static MortalServer started(List<String> command) {
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
      for (String text = out.readLine(); text != null; text = out.readLine()) {
        if (text.startsWith("port ")) {
          return new MortalServer(process, out, Integer.parseInt(text.substring(5)));
        }
      }
      throw new AssertionError("the node ended before it was ready");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  public int port() {
    return port;
  }

  /// Arms the node: the line kills it from now on.
  public void arm() {
    try {
      BufferedWriter in = process.outputWriter(StandardCharsets.UTF_8);
      in.write(ARM + "\n");
      in.flush();
      if (!ARMED.equals(out.readLine())) {
        throw new AssertionError("the node ended before it was armed");
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Waits until it has died; returns its exit code.
  public int awaitDeath() {
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        throw new AssertionError("the node lives on");
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /// Kills it as `kill -9` does.
  public void kill() {
    process.destroyForcibly();
    int _ = awaitDeath();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    int _ = awaitDeath();
  }
}
