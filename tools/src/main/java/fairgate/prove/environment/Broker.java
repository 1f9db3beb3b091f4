package fairgate.prove.environment;

import fairgate.platform.embedded.FreePort;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// A real Kafka, run from an unpacked distribution: one broker that is its own controller, in a
/// process that ends with ours. It can be killed and kept down.
///
/// A broker tells its clients its address, so each node has its own listener, which names the
/// node's proxy.
public final class Broker implements AutoCloseable {
  /// The longest time on a busy machine.
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final String DATA = "data";

  /// Its data as they are before its first start.
  private static final String FORMATTED = "formatted";

  private static final long END_SECONDS = 60;

  /// Kills the broker as soon as its input ends: when it is closed, or when we die.
  private static final String SCRIPT =
      """
      exec 3<&0
      "$@" 3<&- </dev/null &
      broker=$!
      (read -r _ <&3; kill -s KILL "$broker") &
      watcher=$!
      wait "$broker"
      kill -s KILL "$watcher"
      """;

  private final Path folder;
  private final String classPath;
  private final List<Integer> listeners;
  private final List<Integer> proxies;
  private final KafkaTopic topic;
  private Process process;

  private Broker(Path home, Path folder, int nodes) throws IOException {
    this.folder = Files.createDirectories(folder).toAbsolutePath();
    this.classPath = home.toAbsolutePath().resolve("libs") + File.separator + "*";
    this.listeners = ports(nodes + 1);
    this.proxies = ports(nodes);
    this.topic = new KafkaTopic(address());
    Files.writeString(this.folder.resolve("settings"), settings(FreePort.find()));
    format();
    copy(this.folder.resolve(DATA), this.folder.resolve(FORMATTED));
    this.process = launch();
  }

  /// Begins to start it, with new data.
  ///
  /// @param home of the distribution: its `libs` are used
  static Broker start(Path home, Path folder, int nodes) throws IOException {
    return new Broker(home, folder, nodes);
  }

  private static List<Integer> ports(int count) {
    return IntStream.range(0, count).mapToObj(_ -> FreePort.find()).toList();
  }

  private String settings(int controller) {
    List<String> listening = new ArrayList<>(List.of("CONTROLLER://127.0.0.1:" + controller));
    List<String> advertised = new ArrayList<>();
    List<String> kinds = new ArrayList<>(List.of("CONTROLLER:PLAINTEXT"));
    for (int i = 0; i < listeners.size(); i++) {
      String name = i == 0 ? "OWN" : "NODE" + i;
      listening.add(name + "://127.0.0.1:" + listeners.get(i));
      advertised.add(name + "://127.0.0.1:" + (i == 0 ? listeners.get(0) : proxies.get(i - 1)));
      kinds.add(name + ":PLAINTEXT");
    }
    return """
    process.roles=broker,controller
    node.id=1
    controller.quorum.voters=1@127.0.0.1:%d
    controller.listener.names=CONTROLLER
    inter.broker.listener.name=OWN
    listeners=%s
    advertised.listeners=%s
    listener.security.protocol.map=%s
    log.dirs=%s
    auto.create.topics.enable=false
    offsets.topic.num.partitions=1
    offsets.topic.replication.factor=1
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
        .formatted(
            controller,
            String.join(",", listening),
            String.join(",", advertised),
            String.join(",", kinds),
            folder.resolve(DATA));
  }

  private void format() throws IOException {
    String cluster = "ZmFpcmdhdGUtcHJvdmUtMQ";
    Process formatting =
        builder(
                List.of(
                    "kafka.tools.StorageTool",
                    "format",
                    "-t",
                    cluster,
                    "-c",
                    folder.resolve("settings").toString()))
            .start();
    await(formatting);
    if (formatting.isAlive() || formatting.exitValue() != 0) {
      formatting.destroyForcibly();
      throw new IOException("Kafka cannot be set up; see " + log());
    }
  }

  private Path log() {
    return folder.resolve("kafka.log");
  }

  private Process launch() throws IOException {
    return builder(List.of("kafka.Kafka", folder.resolve("settings").toString())).start();
  }

  /// Like the nodes it lives for seconds or minutes, and leaves most of the machine to them.
  private ProcessBuilder builder(List<String> program) {
    List<String> command = new ArrayList<>(List.of("bash", "-c", SCRIPT, "fairgate-kafka"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
    command.addAll(List.of("-cp", classPath));
    command.addAll(program);
    return new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
  }

  /// Waits until it serves.
  void awaitReady() {
    if (!Waiting.holds(PATIENCE, () -> topic.answers() || !process.isAlive())
        || !process.isAlive()) {
      throw new IllegalStateException("Kafka does not start; see " + log());
    }
  }

  /// Where the proof itself reaches it, past all proxies.
  public String address() {
    return "127.0.0.1:" + listeners.getFirst();
  }

  /// Where the node's proxy has to be: 127.0.0.1 and this port.
  int wirePort(int node) {
    return proxies.get(node - 1);
  }

  /// Where the proxy leads.
  SocketAddress behind(int node) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), listeners.get(node));
  }

  /// `kill -9`; it stays dead until `back`.
  public void kill() {
    try {
      process.getOutputStream().close();
    } catch (IOException _) {
      // It is dead already.
    }
    await(process);
  }

  /// Starts it again on its data, and waits until it serves.
  public void back() throws IOException {
    process = launch();
    awaitReady();
  }

  /// Starts it again without anything it ever had, and waits until it serves.
  public void backEmpty() throws IOException {
    Path data = folder.resolve(DATA);
    List<Path> all;
    try (Stream<Path> tree = Files.walk(data)) {
      all = tree.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
    copy(folder.resolve(FORMATTED), data);
    back();
  }

  /// Of a folder without folders.
  private static void copy(Path from, Path to) throws IOException {
    Path _ = Files.createDirectory(to);
    List<Path> all;
    try (Stream<Path> files = Files.list(from)) {
      all = files.toList();
    }
    for (Path file : all) {
      Path _ = Files.copy(file, to.resolve(file.getFileName()));
    }
  }

  /// The number of entries that the ledger has not read, by the committed offsets.
  public long lag() throws IOException {
    return topic.lag();
  }

  /// Everything it was given since it was last empty, in no particular order.
  public List<KafkaRecord> all() throws IOException {
    return topic.all();
  }

  /// An entry that went through.
  public record KafkaRecord(String product, long epoch, long seq) {}

  private static void await(Process process) {
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("Kafka does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    topic.close();
    kill();
  }
}
