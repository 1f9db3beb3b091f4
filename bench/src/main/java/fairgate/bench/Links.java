package fairgate.bench;

import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// Redirects out of many links, 10,000 of them in demand, with their clicks recorded; and a flood
/// of well-formed codes that lead nowhere. Both against `/health/live` in the same rounds.
final class Links {
  private static final int HOT = 10_000;
  private static final int CHUNK = 20_000;
  private static final int CODE_BITS = 39;
  private static final String LIVE = "/health/live";
  private static final String INSERT =
      """
      INSERT INTO short_links (code, url, owner, redirect_status)
      SELECT code, 'https://example.com/landing/' || code, 'bench', 302 FROM unnest($1::text[]) code
      ON CONFLICT DO NOTHING
      """;
  private static final String CLICKS =
      "SELECT coalesce(sum(clicks + bots), 0)::bigint FROM short_link_clicks";

  private final Measures measures;
  private final SecureRandom chance = new SecureRandom();

  Links(Measures measures) {
    this.measures = measures;
  }

  void run(int links) throws IOException, InterruptedException {
    Vertx vertx = Vertx.vertx();
    try (PostgresDatabase database = PostgresDatabase.open(vertx, measures.server().postgres())) {
      List<String> hot = fill(database, links);
      List<String> nowhere = paths(HOT);
      // Sent as the others are, for preparing requests costs the same processors.
      List<String> live = Collections.nCopies(HOT, LIVE);
      int rounds = measures.rounds();
      double[][] speed = new double[3][rounds];
      double[][] cost = new double[3][rounds];
      long sent = 0;
      for (int i = -2; i < rounds; i++) {
        int time = measures.seconds();
        long[] granted = new long[1];
        double[][] now = {
          measures.costed(() -> measures.wrk().paths(live, time).allGranted()),
          measures.costed(
              () -> {
                Wrk.Run run = measures.wrk().paths(hot, time).allGranted();
                granted[0] = run.granted();
                return run;
              }),
          measures.costed(() -> measures.wrk().paths(nowhere, time).allRefused())
        };
        sent += granted[0];
        System.out.println("round " + i + ": " + Arrays.deepToString(now));
        for (int k = 0; k < now.length && i >= 0; k++) {
          speed[k][i] = now[k][0];
          cost[k][i] = now[k][1];
        }
      }
      report(links, speed, cost);
      counted(database, sent);
    } finally {
      var _ = vertx.close();
    }
  }

  private void report(int links, double[][] speed, double[][] cost) {
    Table table = measures.table();
    table.row("L: `GET /health/live`", Measures.figures(speed[0], cost[0]), "1", "", true);
    String what = "redirect / L, %,d links, 10,000 hot, clicks recorded".formatted(links);
    table.ratio(what, Measures.figures(speed[1], cost[1]), Measures.over(speed[1], speed[0]), 0.8);
    table.ratio(
        "unknown code / L, 10,000 codes",
        Measures.figures(speed[2], cost[2]),
        Measures.over(speed[2], speed[0]),
        0.7);
  }

  /// Waits until the clicks have been written. Of those answered when a run ends, wrk counts none.
  private void counted(PostgresDatabase database, long sent) {
    long end = System.nanoTime() + 30_000_000_000L;
    long counted = 0;
    while (counted < sent && System.nanoTime() < end) {
      LockSupport.parkNanos(200_000_000);
      counted = database.query(CLICKS).await().getFirst().getLong(0);
    }
    measures
        .table()
        .row(
            "clicks written of redirects answered",
            "%,d of %,d".formatted(counted, sent),
            "%.4f".formatted(counted / (double) sent),
            "all",
            counted >= sent);
  }

  private List<String> fill(PostgresDatabase database, int links) {
    List<String> hot = new ArrayList<>();
    for (int made = 0; made < links; made += CHUNK) {
      List<String> codes = codes(Math.min(CHUNK, links - made));
      var _ = database.query(INSERT, (Object) codes.toArray(String[]::new)).await();
      int share = HOT * CHUNK / links + 1;
      codes.stream().limit(share).forEach(code -> hot.add("/" + code));
    }
    return hot.subList(0, Math.min(HOT, hot.size()));
  }

  private List<String> codes(int count) {
    List<String> codes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      codes.add("bench-" + new BigInteger(CODE_BITS, chance).toString(36));
    }
    return codes;
  }

  private List<String> paths(int count) {
    return codes(count).stream().map(code -> "/" + code).toList();
  }
}
