package fairgate.bench;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/// The speed of entries in a draw relative to joins of a queue. Every entry is that of a new
/// browser, is stored in PostgreSQL, and is answered with a signed promise.
final class DrawEntering {
  private static final String DRAW = "bench";
  private static final String PRODUCT = "99";
  private static final long OPENS_IN_S = 3;
  private static final long OPEN_S = 7_200;

  /// People are not counted by network, because all come from one address.
  private static final String POLICY =
      "\"places_per_ip\":null,\"places_per_network\":null,\"units_per_ip\":null";

  private final Measures measures;

  DrawEntering(Measures measures) {
    this.measures = measures;
  }

  void run() throws IOException, InterruptedException {
    Crowd queue = measures.product(1, "{\"preset\":\"queue\"," + POLICY + "}");
    announce();
    String join = Measures.JOIN.formatted(Measures.id(queue));
    String enter = "{\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}";
    double[][] speed = new double[2][measures.rounds()];
    double[][] cost = new double[2][measures.rounds()];
    for (int i = -2; i < measures.rounds(); i++) {
      int time = i < 0 ? Math.max(8, measures.seconds()) : measures.seconds();
      double[][] now = {
        measures.costed(() -> measures.wrk().post("/api/queue/join", join, time).allGranted()),
        measures.costed(
            () -> measures.wrk().post("/api/draws/bench/entries", enter, time).allGranted())
      };
      System.out.println("join, entry: " + Arrays.deepToString(now));
      for (int k = 0; k < now.length && i >= 0; k++) {
        speed[k][i] = now[k][0];
        cost[k][i] = now[k][1];
      }
    }
    measures
        .table()
        .ratio(
            "entry in a draw / join",
            Measures.figures(speed[1], cost[1]) + " / " + Table.perSecond(speed[0]),
            Measures.over(speed[1], speed[0]),
            0.5);
  }

  /// Announces the draw and waits until it is open.
  private void announce() throws IOException, InterruptedException {
    Child server = measures.server();
    server.create(PRODUCT, 1, "{\"pre_queue\":\"draw\"," + POLICY + "}");
    server.open(PRODUCT);
    Instant opens = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(OPENS_IN_S);
    server
        .operator()
        .post(
            "/draws",
            "{\"id\":\"%s\",\"product_id\":\"%s\",\"opens_at\":\"%s\",\"closes_at\":\"%s\"}"
                .formatted(DRAW, PRODUCT, opens, opens.plusSeconds(OPEN_S)));
    long end = System.nanoTime() + 60_000_000_000L;
    while (!server
        .operator()
        .call("GET", "/api/draws/" + DRAW, "")
        .contains("\"state\":\"open\"")) {
      if (System.nanoTime() > end) {
        throw new IOException("the draw did not open");
      }
      LockSupport.parkNanos(200_000_000);
    }
  }
}
