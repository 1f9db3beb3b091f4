package fairgate.bench;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.Arrays;

/// The cost of LINE webhooks relative to `/health/live`, and their response time while all handlers
/// hang.
final class LineFigures {
  private static final String LIVE = "/health/live";
  private static final int SOON_MS = 50;

  private final Measures measures;

  LineFigures(Measures measures) {
    this.measures = measures;
  }

  /// Webhooks for another bot, redelivered ones, and new ones.
  void speeds() throws IOException, InterruptedException {
    int rounds = measures.rounds();
    Wrk wrk = measures.wrk();
    LineLoad load = new LineLoad();
    double[][] speed = new double[4][rounds];
    double[][] cost = new double[4][rounds];
    for (int i = -2; i < rounds; i++) {
      int time = i < 0 ? Math.max(8, measures.seconds()) : measures.seconds();
      double[][] now = {
        measures.costed(() -> wrk.get(LIVE, time).allGranted()),
        measures.costed(() -> wrk.webhook(load.standby(), time).allGranted()),
        measures.costed(() -> wrk.webhooks(load.again(), time).allGranted()),
        measures.costed(() -> wrk.webhooks(load.fresh(time * 25_000), time).allGranted())
      };
      System.out.println("round " + i + ": " + Arrays.deepToString(now));
      for (int k = 0; k < now.length && i >= 0; k++) {
        speed[k][i] = now[k][0];
        cost[k][i] = now[k][1];
      }
    }
    double[] least = {0, 0.6, 0, 0};
    String[] names = {
      "", "LINE webhook / C", "LINE webhook, event known / C", "LINE webhook, event new / C"
    };
    for (int k = 1; k < speed.length; k++) {
      measures
          .table()
          .ratio(
              names[k],
              Measures.figures(speed[k], cost[k]),
              Measures.over(speed[k], speed[0]),
              least[k]);
    }
  }

  void pace(Vertx vertx, LinePace pace) throws IOException {
    int rounds = measures.rounds();
    LineLoad load = new LineLoad();
    double[] slow = new double[rounds];
    double[] half = new double[rounds];
    for (int i = -1; i < rounds; i++) {
      LinePace.Times times = pace.run(vertx, load, measures.server().port());
      System.out.println(
          "round %d: p50 %.1f ms, p99 %.1f ms"
              .formatted(i, times.percentile(0.5), times.percentile(0.99)));
      if (i >= 0) {
        slow[i] = times.percentile(0.99);
        half[i] = times.percentile(0.5);
      }
    }
    measures
        .table()
        .row(
            "LINE webhook acknowledged, %d/s, handlers hang 10 s".formatted(LinePace.PER_SECOND),
            "p50 %.1f ms".formatted(Table.median(half)),
            "p99 %.1f ms (%.1f to %.1f)"
                .formatted(Table.median(slow), Table.min(slow), Table.max(slow)),
            "p99 below %d ms".formatted(SOON_MS),
            Table.median(slow) < SOON_MS);
  }
}
