package fairgate.bench.soak;

import fairgate.bench.Child;
import fairgate.bench.LineLoad;
import fairgate.bench.Table;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Mixed traffic at half load beside misbehaving connections, and a check for growth.
///
/// Usage: `Soak ROOT FOLDER MINUTES`. Exits with 1 if a figure grows. Twenty minutes or more write
/// the table into `docs/performance.md`. `SOAK_BORNE` sets the maximum load in actions per second,
/// instead of measuring it.
public final class Soak {
  private static final int WHOLE = 20;
  private static final int CONNECTIONS = 6_000;
  private static final int WARM_MS = 15_000;

  /// The default limits apply; addresses come from a trusted proxy.
  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "FAIRGATE_LIMITS", "on",
          "FAIRGATE_SERVER_TRUSTED_PROXIES", "127.0.0.1/32",
          "FAIRGATE_SERVER_MAX_CONNECTIONS", Integer.toString(CONNECTIONS),
          "FAIRGATE_LINE_CHANNEL_SECRET", LineLoad.SECRET,
          "FAIRGATE_LINE_CHANNEL_TOKEN", "none");

  private Soak() {}

  /// Runs it.
  public static void main(String[] args) throws IOException, InterruptedException {
    Path root = Path.of(args[0]);
    Path folder = Path.of(args[1]);
    int minutes = Integer.parseInt(args[2]);
    Table table =
        new Table(
            "<!-- soak: written by bench/soak -->",
            "<!-- end of soak -->",
            "| what | second quarter, last quarter | rise of the line | allowed | |");
    boolean flat;
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    Path jar = root.resolve("app/target/fairgate.jar");
    try (Child server = Child.start(jar, folder.resolve("data"), ENVIRONMENT);
        Probe probe = new Probe(vertx, server)) {
      flat = run(vertx, server, probe, minutes, table, root);
    } finally {
      var _ = vertx.close();
    }
    table.note("Data folder on " + Files.getFileStore(folder).type() + ".");
    if (minutes >= WHOLE) {
      table.write(root.resolve("docs/performance.md"));
    }
    System.exit(flat ? 0 : 1);
  }

  private static boolean run(
      Vertx vertx, Child server, Probe probe, int minutes, Table table, Path root)
      throws IOException, InterruptedException {
    Tally tally = new Tally();
    Stage stage = new Stage(vertx, server, probe, tally);
    Traffic.Supply supply = stage.supply();
    double max = borne(vertx, server, stage, tally);
    double rate = max / 2;
    System.err.printf(Locale.ROOT, "borne: %,.0f acts/s; half of it now%n", max);
    describe(table, minutes, max);
    stage.provide((long) (rate * 60 * minutes * 0.05));
    stage.atRest();
    stage.restart();
    Course course;
    try (Caller caller = new Caller(vertx, server.port(), tally);
        Caller listeners = new Caller(vertx, server.port(), tally);
        BadCrowd bad = new BadCrowd(server.port(), supply.sessions());
        Traffic traffic = new Traffic(vertx, caller, stage.supply(), tally)) {
      stage.listen(listeners, supply.sessions());
      course = new Course(probe, tally, caller, minutes);
      traffic.pace(rate / 2);
      sleep(WARM_MS);
      tally.clear();
      traffic.pace(rate);
      course.run();
      traffic.pace(0);
      stage.lastAnswers(caller);
      course.ended(bad);
    }
    Verdicts verdicts = new Verdicts(table, course, tally, rate);
    verdicts.tell();
    stage.after(verdicts, root);
    return verdicts.flat();
  }

  /// The acts a second this machine bears.
  private static double borne(Vertx vertx, Child server, Stage stage, Tally tally)
      throws IOException, InterruptedException {
    double told = Double.parseDouble(System.getenv().getOrDefault("SOAK_BORNE", "0"));
    if (told > 0) {
      return told;
    }
    try (Caller caller = new Caller(vertx, server.port(), tally);
        Traffic traffic = new Traffic(vertx, caller, stage.supply(), tally)) {
      double found = new Calibration(traffic, caller, tally).run();
      traffic.pace(0);
      stage.lastAnswers(caller);
      return found;
    }
  }

  private static void describe(Table table, int minutes, double max) throws IOException {
    table.note(
        "%s: %d minutes, Java %s, %s %s, %d processors, load average %s before."
            .formatted(
                LocalDate.now(ZoneOffset.UTC),
                minutes,
                Runtime.version(),
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                Runtime.getRuntime().availableProcessors(),
                String.join(
                    " ",
                    List.of(Files.readString(Path.of("/proc/loadavg")).split(" ", -1))
                        .subList(0, 3))));
    table.note(
        "%s: %,.0f acts a second (99 %% of each kind within %d ms); run with half of that."
            .formatted(
                System.getenv("SOAK_BORNE") == null ? "Found to be borne" : "Told to be borne",
                max,
                Calibration.BEARABLE_MS));
  }

  static void sleep(long ms) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(ms);
  }
}
