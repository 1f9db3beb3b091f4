package fairgate.bench;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Measures a server on this machine and writes the figures into `docs/performance.md`.
///
/// Usage: `Main ROOT FOLDER [ONLY ...]`, where `ONLY` is any of `price`, `hot`, `links`,
/// `accepted`, `relay`, `replica`, `nodes`, `cluster`, `start`, `flash`, `jitter`, `line`,
/// `claims`, `accounts`, `scale`, `gate`, `watch`, `draw`; without one all run and the document is
/// written. `BENCH_ROUNDS` and `BENCH_SECONDS` set the rounds and the seconds of each measurement,
/// `BENCH_NODES` the numbers of nodes of `nodes`.
public final class Main {
  private static final List<String> ALL =
      List.of(
          "price",
          "hot",
          "links",
          "line",
          "accepted",
          "relay",
          "replica",
          "nodes",
          "cluster",
          "start",
          "flash",
          "jitter",
          "claims",
          "accounts",
          "scale",
          "gate",
          "watch",
          "draw");

  private Main() {}

  /// Runs the measurements.
  public static void main(String[] args) throws IOException, InterruptedException {
    Path root = Path.of(args[0]);
    Path folder = Path.of(args[1]);
    Set<String> chosen = new TreeSet<>(Arrays.asList(args).subList(2, args.length));
    Table table = new Table();
    describe(table);
    Path jar = root.resolve("app/target/fairgate.jar");
    // As `./fairgate up` starts it: with the AOT cache of an earlier start.
    Path cache = folder.resolve("server.aot");
    Child.train(jar, cache);
    Vertx vertx = Vertx.vertx();
    try (LinePace pace = new LinePace();
        Child server =
            Child.start(
                jar, folder.resolve("data"), pace.environment(), List.of("-XX:AOTCache=" + cache));
        Rows rows = new Rows(vertx, server.postgres())) {
      System.out.println("server process " + server.pid() + ", port " + server.port());
      try (RawRedis redis = new RawRedis(server.redisSocket())) {
        table.note(
            "Redis %s with %s."
                .formatted(
                    redis.infoText("server", "redis_version"),
                    redis.infoText("memory", "mem_allocator")));
      }
      Wrk wrk = new Wrk(server.port(), folder);
      Measures measures =
          new Measures(server, wrk, table, number("BENCH_ROUNDS", 3), number("BENCH_SECONDS", 6));
      for (String one : ALL) {
        if (chosen.isEmpty() || chosen.contains(one)) {
          measure(one, measures, vertx, rows, pace, folder);
        }
      }
    } finally {
      var _ = vertx.close();
    }
    table.note("Data folder on " + Files.getFileStore(folder).type() + ".");
    table.note("Load average at the end: " + load() + ".");
    if (chosen.isEmpty()) {
      table.write(root.resolve("docs/performance.md"));
    }
  }

  private static void measure(
      String one, Measures measures, Vertx vertx, Rows rows, LinePace pace, Path folder)
      throws InterruptedException {
    try {
      if (one.equals("claims")) {
        claims(measures, vertx, folder);
      } else if (one.equals("price")) {
        new Price(measures, folder).run(rows);
      } else if (one.equals("replica")) {
        new ReplicaCost(measures).run(folder);
      } else if (one.equals("nodes")) {
        new NodeScale(measures, folder.resolve("nodes")).run(nodes());
      } else if (one.equals("cluster")) {
        new ClusterScale(measures, folder.resolve("cluster")).run();
      } else if (one.equals("start")) {
        new StartCost(vertx, measures.table(), measures.server().jar(), folder).run();
      } else if (one.equals("gate")) {
        new GateCost(measures).run(folder);
      } else {
        run(one, measures, vertx, rows, pace);
      }
    } catch (IOException | IllegalStateException e) {
      // The others are still worth having.
      e.printStackTrace();
      measures.table().row(one, "", "not measured: " + e.getMessage(), "a figure", false);
    }
  }

  private static void claims(Measures measures, Vertx vertx, Path folder)
      throws IOException, InterruptedException {
    Child server = measures.server();
    Claims.measure(
        vertx,
        server.postgres(),
        measures.wrk(),
        new Pgbench(server.postgres(), folder),
        measures.table(),
        measures.rounds(),
        measures.seconds());
  }

  private static void run(String one, Measures measures, Vertx vertx, Rows rows, LinePace pace)
      throws IOException, InterruptedException {
    switch (one) {
      case "hot" -> measures.hotRoutes();
      case "links" -> new Links(measures).run(number("BENCH_LINKS", 1_000_000));
      case "accepted" -> measures.accepted();
      case "line" -> {
        LineFigures figures = new LineFigures(measures);
        figures.speeds();
        figures.pace(vertx, pace);
      }
      case "relay" -> measures.relay(rows);
      case "scale" -> new Scale(measures).run(number("BENCH_WAITING", 1_000_000));
      case "flash" -> measures.flash(vertx, rows);
      case "jitter" -> new JitterSpread(vertx, measures).run();
      case "watch" -> new WatchCost(measures).run();
      case "draw" -> new DrawEntering(measures).run();
      case "accounts" -> LoginFigures.measure(vertx, measures);
      default -> throw new IllegalArgumentException(one);
    }
  }

  private static void describe(Table table) throws IOException {
    table.note(
        "%s: Java %s, %s %s, %d processors, load average %s at the start."
            .formatted(
                LocalDate.now(java.time.ZoneOffset.UTC),
                Runtime.version(),
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                Runtime.getRuntime().availableProcessors(),
                load()));
  }

  private static String load() throws IOException {
    Path file = Path.of("/proc/loadavg");
    return Files.exists(file)
        ? String.join(" ", List.of(Files.readString(file).split(" ", -1)).subList(0, 3))
        : "unknown";
  }

  private static List<Integer> nodes() {
    String value = System.getenv("BENCH_NODES");
    return value == null
        ? List.of(1, 2, 4)
        : Arrays.stream(value.split(",", -1)).map(Integer::valueOf).toList();
  }

  private static int number(String name, int otherwise) {
    String value = System.getenv(name);
    return value == null ? otherwise : Integer.parseInt(value);
  }
}
