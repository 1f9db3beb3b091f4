package fairgate.testkit;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A real Apache Kafka: one broker that is its own controller, in a child process, on loopback,
/// with its data in a folder that is deleted at the end.
public final class KafkaBroker implements AutoCloseable {
  private static final String CLASSPATH = "kafka.classpath";

  private final Path folder;
  private final int port;
  private @Nullable Process process;

  private KafkaBroker(Path folder, int port) {
    this.folder = folder;
    this.port = port;
  }

  /// Starts it and waits until it serves.
  public static KafkaBroker start() {
    KafkaBroker broker = down();
    broker.restart();
    return broker;
  }

  /// Has an address, on which nothing listens until `restart`.
  public static KafkaBroker down() {
    try {
      Path folder = Files.createTempDirectory("fairgate-kafka");
      int port = KeptPort.free();
      Files.writeString(folder.resolve("settings"), settings(folder, port, KeptPort.free()));
      return new KafkaBroker(folder, port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Lays the broker's programs out in a folder as an unpacked distribution has them.
  ///
  /// @param folder missing or empty
  public static Path home(Path folder) {
    try {
      Path libs = Files.createDirectories(folder.resolve("libs"));
      for (String jar : programs().split(File.pathSeparator, -1)) {
        Path program = Path.of(jar);
        Path _ = Files.createSymbolicLink(libs.resolve(program.getFileName()), program);
      }
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// `host:port`, the same after a restart.
  public String address() {
    return "127.0.0.1:" + port;
  }

  /// Starts the broker on the data in its folder; does nothing if it runs.
  public void restart() {
    if (process != null && process.isAlive()) {
      return;
    }
    try {
      Process started =
          new ProcessBuilder(
                  List.of(
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "-Xmx256m",
                      "-XX:+UseSerialGC",
                      "-XX:TieredStopAtLevel=1",
                      "-cp",
                      classpath(),
                      KafkaBroker.class.getPackageName() + ".KafkaMain",
                      folder.resolve("settings").toString()))
              .redirectError(ProcessBuilder.Redirect.appendTo(folder.resolve("errors").toFile()))
              .start();
      process = started;
      BufferedReader out = started.inputReader(StandardCharsets.UTF_8);
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (line.equals("ready")) {
          Thread _ = Thread.ofVirtual().start(() -> out.lines().forEach(_ -> {}));
          return;
        }
      }
      throw new AssertionError(
          "kafka does not start: " + Files.readString(folder.resolve("errors")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// `kill -9`.
  public void kill() {
    Process running = process;
    process = null;
    if (running != null) {
      running.destroyForcibly();
      try {
        if (!running.waitFor(20, TimeUnit.SECONDS)) {
          throw new AssertionError("kafka does not end");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /// Small and quick: one broker, no replicas, few threads.
  private static String settings(Path folder, int port, int controller) {
    return """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:%2$d
        listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
        advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
        controller.listener.names=CONTROLLER
        listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
        log.dirs=%3$s
        auto.create.topics.enable=false
        offsets.topic.num.partitions=1
        offsets.topic.replication.factor=1
        transaction.state.log.replication.factor=1
        transaction.state.log.min.isr=1
        group.initial.rebalance.delay.ms=0
        broker.session.timeout.ms=2000
        broker.heartbeat.interval.ms=200
        controller.quorum.election.timeout.ms=200
        controller.quorum.fetch.timeout.ms=500
        log.cleaner.dedupe.buffer.size=4194304
        num.network.threads=1
        num.io.threads=2
        background.threads=2
        """
        .formatted(port, controller, folder.resolve("data"));
  }

  /// The classpath of the broker, as resolved by Maven.
  private static String programs() throws IOException {
    try (InputStream file =
        Objects.requireNonNull(
            KafkaBroker.class.getResourceAsStream(CLASSPATH), "built without its classpath")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
  }

  /// The same, and this class's own folder or jar.
  private static String classpath() throws IOException {
    String own =
        Path.of(KafkaBroker.class.getProtectionDomain().getCodeSource().getLocation().getPath())
            .toString();
    return programs() + File.pathSeparator + own;
  }

  @Override
  public void close() {
    kill();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
