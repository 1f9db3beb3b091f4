package fairgate.bench.limit;

import fairgate.platform.embedded.EmbeddedEngines;
import fairgate.platform.embedded.EngineOptions;
import fairgate.platform.redis.RedisReply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntFunction;

/// The limiter and its peers on one Redis, with 32 callers that each wait for their answer.
///
/// Usage: `LimitSpeed FOLDER [DOCUMENT]`; with a document, the figures are put between its markers.
/// `BENCH_ROUNDS` and `BENCH_SECONDS` set the rounds and the seconds of each measurement.
public final class LimitSpeed {
  private static final int CALLERS = 32;
  private static final int NODES = 4;
  private static final int KEYS = 10_000;
  private static final int PLENTY = 1_000_000_000;
  private static final int RATE = 1_000;
  private static final int BURST = 100;
  private static final long PAUSE_NANOS = 100_000;
  private static final String BEGIN = "<!-- limits: written by bench/limits -->";
  private static final String END = "<!-- end of limits -->";

  /// One limiter, made for each run.
  private record Kind(String name, Function<String, Peer> make) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind("Fairgate", FairgatePeer::new),
          new Kind("Bucket4j 8.19", BucketPeer::plain),
          new Kind("Bucket4j `batching()`", BucketPeer::batching),
          new Kind("Bucket4j `delaying(1000, 100 ms)`", BucketPeer::delaying),
          new Kind("Redisson 4.7 `RRateLimiter`", RedissonPeer::new),
          new Kind("semantics of Spring Cloud Gateway", ScriptPeer::wholeSeconds),
          new Kind("semantics of seed 004, a sliding log", ScriptPeer::callLog));

  private final RedisNode observer;
  private final String uri;
  private final int rounds = number("BENCH_ROUNDS", 3);
  private final double seconds = number("BENCH_SECONDS", 3);
  private int runs;

  private LimitSpeed(String uri) {
    this.uri = uri;
    this.observer = new RedisNode(uri);
  }

  /// Prints the table, and writes it into the document if one is named.
  public static void main(String[] args) throws IOException, InterruptedException {
    Path data = Path.of(args[0]);
    String table;
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, EngineOptions.disposable())) {
      LimitSpeed speed = new LimitSpeed("redis://127.0.0.1:" + port(engines.redisUri()));
      table = speed.table();
      speed.observer.close();
    }
    System.out.println(table);
    if (args.length > 1) {
      write(Path.of(args[1]), table);
    }
    // Peers leave threads behind.
    System.exit(0);
  }

  /// All peers get the same way in: a port on the loopback, no log on disk.
  private static int port(String socket) throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    try (RedisNode node = new RedisNode(socket)) {
      for (List<String> setting :
          List.of(List.of("appendonly", "no"), List.of("port", Integer.toString(port)))) {
        var _ = node.redis().send("CONFIG", "SET", setting.get(0), setting.get(1)).await();
      }
    }
    return port;
  }

  private String table() throws InterruptedException {
    List<String> rows = new ArrayList<>();
    rows.add(
        "| limiter | one key, all granted | one key, nearly all refused | 10,000 keys, all granted"
            + " | four nodes, 1,000/s asked for more |");
    rows.add("|---|---|---|---|---|");
    List<List<List<Callers.Run>>> all = new ArrayList<>();
    for (int round = -1; round < rounds; round++) {
      for (int i = 0; i < KINDS.size(); i++) {
        List<Callers.Run> runsOfKind = measure(KINDS.get(i));
        System.out.println(round + " " + KINDS.get(i).name() + ": " + brief(runsOfKind));
        if (round < 0) {
          all.add(new ArrayList<>());
        } else {
          all.get(i).add(runsOfKind);
        }
      }
    }
    for (int i = 0; i < KINDS.size(); i++) {
      Kind kind = KINDS.get(i);
      rows.add(
          "| %s | %s | %s | %s | %.3f |"
              .formatted(
                  kind.name(),
                  cell(all.get(i), 0),
                  cell(all.get(i), 1),
                  cell(all.get(i), 2),
                  admitted(kind.make())));
      System.out.println(rows.getLast());
    }
    return String.join("\n", rows);
  }

  private static String brief(List<Callers.Run> runs) {
    return runs.stream()
        .map(run -> String.format(Locale.ROOT, "%,.0f/s", run.perSecond()))
        .toList()
        .toString();
  }

  /// The run of middle speed.
  private static String cell(List<List<Callers.Run>> rounds, int which) {
    List<Callers.Run> sorted =
        rounds.stream()
            .map(round -> round.get(which))
            .sorted((a, b) -> Double.compare(a.perSecond(), b.perSecond()))
            .toList();
    Callers.Run middle = sorted.get(sorted.size() / 2);
    return String.format(
        Locale.ROOT,
        "%,.0f/s (p50 %,.1f, p99 %,.1f µs)",
        middle.perSecond(),
        middle.micros(0.5),
        middle.micros(0.99));
  }

  private List<Callers.Run> measure(Kind kind) throws InterruptedException {
    List<Callers.Run> results = new ArrayList<>();
    try (Peer peer = kind.make().apply(uri)) {
      BooleanSupplier hot = peer.open(key(), PLENTY, PLENTY);
      results.add(run(_ -> new BooleanSupplier[] {hot}));
    }
    flush();
    try (Peer peer = kind.make().apply(uri)) {
      BooleanSupplier refusing = peer.open(key(), 1, 1);
      results.add(run(_ -> new BooleanSupplier[] {refusing}));
    }
    flush();
    results.add(manyKeys(kind));
    flush();
    return results;
  }

  private Callers.Run manyKeys(Kind kind) throws InterruptedException {
    try (Peer peer = kind.make().apply(uri)) {
      String prefix = key();
      BooleanSupplier[] many = new BooleanSupplier[KEYS];
      for (int i = 0; i < KEYS; i++) {
        many[i] = peer.open(prefix + i, PLENTY, PLENTY);
      }
      return run(caller -> turned(many, caller));
    }
  }

  /// Each caller begins elsewhere.
  private static BooleanSupplier[] turned(BooleanSupplier[] all, int caller) {
    BooleanSupplier[] own = new BooleanSupplier[all.length];
    for (int i = 0; i < own.length; i++) {
      own[i] = all[(i + caller * all.length / CALLERS) % all.length];
    }
    return own;
  }

  private Callers.Run run(IntFunction<BooleanSupplier[]> asks) throws InterruptedException {
    var _ = Callers.run(CALLERS, seconds / 2, 0, asks);
    return Callers.run(CALLERS, seconds, 0, asks);
  }

  /// The calls that four nodes admit at once, relative to those that one would: 1 is exact.
  private double admitted(Function<String, Peer> kind) throws InterruptedException {
    String key = key();
    List<Peer> nodes = new ArrayList<>();
    List<BooleanSupplier> asks = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      Peer peer = kind.apply(uri);
      nodes.add(peer);
      // A first call, so that connecting and compiling are not measured.
      boolean _ = peer.open(key, RATE, BURST).getAsBoolean();
      asks.add(peer.open(key, RATE, BURST));
    }
    // Refusals of some cost next to nothing; without a pause they would take all processors.
    IntFunction<BooleanSupplier[]> turns = i -> new BooleanSupplier[] {asks.get(i % NODES)};
    var _ = Callers.run(NODES * 2, 1, PAUSE_NANOS, turns);
    Callers.Run run = Callers.run(NODES * 2, 4, PAUSE_NANOS, turns);
    nodes.forEach(Peer::close);
    flush();
    return run.granted() / (RATE * run.seconds());
  }

  private String key() {
    return "k" + ++runs;
  }

  private void flush() {
    RedisReply _ = observer.redis().send("FLUSHALL").await();
  }

  private static int number(String name, int otherwise) {
    String value = System.getenv(name);
    return value == null ? otherwise : Integer.parseInt(value);
  }

  private static void write(Path document, String table) throws IOException {
    String text = Files.readString(document);
    int from = text.indexOf(BEGIN);
    int to = text.indexOf(END);
    if (from < 0 || to < from) {
      throw new IOException(document + " has no place for the figures");
    }
    Files.writeString(
        document,
        text.substring(0, from + BEGIN.length()) + "\n" + table + "\n" + text.substring(to));
  }
}
