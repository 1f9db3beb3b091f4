package fairgate.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/// What an accepted purchase costs a server with all defaults, risk, audit and receipts included:
/// its speed as a ratio to `GET /health/live` of the same round, and the processor time of server,
/// Redis and PostgreSQL from the purchase over HTTP to the stored order. The last round is recorded
/// by JFR; its samples are counted by the package whose code was running.
///
/// The counts that do not depend on the machine are those of `IdleSalesIT`.
final class Price {
  private static final int BUYERS = 60_000;
  private static final Pattern PACKAGE = Pattern.compile("fairgate\\.(\\w+(?:\\.[a-z]\\w*)?)\\..*");
  private static final List<String> PARTS = List.of("java", "redis", "postgres");

  private final Measures measures;
  private final Path folder;

  Price(Measures measures, Path folder) {
    this.measures = measures;
    this.folder = folder;
  }

  void run(Rows rows) throws IOException, InterruptedException {
    int rounds = measures.rounds();
    double[] base = new double[rounds];
    double[] accepted = new double[rounds];
    double[][] cost = new double[PARTS.size()][rounds];
    for (int i = -1; i < rounds; i++) {
      double c = measures.wrk().get("/health/live", measures.seconds()).allGranted().perSecond();
      boolean recorded = i == rounds - 1;
      if (recorded) {
        jcmd("JFR.start", "name=price", "settings=profile");
      }
      double[] round = purchases(rows);
      if (recorded) {
        profile();
      }
      System.out.printf(Locale.ROOT, "price: C %,.0f/s, accepted %,.0f/s%n", c, round[0]);
      if (i >= 0) {
        base[i] = c;
        accepted[i] = round[0];
        for (int k = 0; k < PARTS.size(); k++) {
          cost[k][i] = round[1 + k];
        }
      }
    }
    measures
        .table()
        .ratio(
            "purchases accepted, all defaults / C",
            "%s, processor time of each: server %.0f, Redis %.0f, PostgreSQL %.0f µs"
                .formatted(
                    Table.perSecond(accepted),
                    Table.median(cost[0]),
                    Table.median(cost[1]),
                    Table.median(cost[2])),
            Measures.over(accepted, base),
            0.03);
  }

  /// Purchases per second, and the processor time of each by part, microseconds.
  private double[] purchases(Rows rows) throws IOException, InterruptedException {
    Crowd crowd = measures.ready(BUYERS, BUYERS);
    measures.rested();
    int time = Math.min(3, measures.seconds());
    double[] before = processorSeconds();
    Wrk.Run run =
        measures.wrk().purchase(crowd.sessions(0, BUYERS), Measures.id(crowd), time).allGranted();
    var _ = rows.until(Measures.id(crowd), (int) run.granted());
    double[] after = processorSeconds();
    double[] result = new double[1 + PARTS.size()];
    result[0] = run.granted() / (double) time;
    for (int k = 0; k < PARTS.size(); k++) {
      result[1 + k] = (after[k] - before[k]) * 1e6 / run.granted();
    }
    return result;
  }

  private double[] processorSeconds() {
    return PARTS.stream().mapToDouble(measures.server()::processorSeconds).toArray();
  }

  private void profile() throws IOException, InterruptedException {
    Path file = folder.resolve("price.jfr");
    jcmd("JFR.stop", "name=price", "filename=" + file);
    Map<String, Integer> samples = new TreeMap<>();
    int all = 0;
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        RecordedEvent event = recording.readEvent();
        if (event.getEventType().getName().equals("jdk.ExecutionSample")
            && event.getStackTrace() != null) {
          samples.merge(feature(event.getStackTrace().getFrames()), 1, Integer::sum);
          all++;
        }
      }
    }
    System.out.println("samples of the server by package:");
    int total = all;
    samples.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
        .forEach(
            one ->
                System.out.printf(
                    Locale.ROOT, "%5.1f %% %s%n", 100.0 * one.getValue() / total, one.getKey()));
  }

  /// The package of the innermost frame of Fairgate, such as `gate.risk`.
  private static String feature(List<RecordedFrame> frames) {
    for (RecordedFrame frame : frames) {
      Matcher name = PACKAGE.matcher(frame.getMethod().getType().getName());
      if (name.matches()) {
        return name.group(1);
      }
    }
    return "libraries and Java";
  }

  private void jcmd(String... command) throws IOException, InterruptedException {
    Path java = Path.of(ProcessHandle.current().info().command().orElseThrow());
    List<String> words = new ArrayList<>();
    words.add(java.resolveSibling("jcmd").toString());
    words.add(Long.toString(measures.server().pid()));
    words.addAll(List.of(command));
    Path out = folder.resolve("jcmd.txt");
    int code =
        new ProcessBuilder(words)
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start()
            .waitFor();
    if (code != 0) {
      throw new IOException(Files.readString(out));
    }
  }
}
