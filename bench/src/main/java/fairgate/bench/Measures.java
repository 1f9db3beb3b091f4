package fairgate.bench;

import fairgate.crowd.ShopClient;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/// The measurements, one method each. All use the same server, one after the other.
final class Measures {
  private static final String WIDE_OPEN =
      """
      {"preset":"queue","active_capacity":100000,"ready_slots":100000,
       "purchase_window_seconds":3600,"payment":"none","purchase_token":"off"}
      """;
  static final String QUEUE = "{\"preset\":\"queue\"}";
  static final String JOIN =
      "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}";
  private static final String LIVE = "/health/live";
  static final int SAMPLE = 10_000;

  private final Child server;
  private final Wrk wrk;
  private final Table table;
  private final int rounds;
  private final int seconds;
  private int products = 100;

  Measures(Child server, Wrk wrk, Table table, int rounds, int seconds) {
    this.server = server;
    this.wrk = wrk;
    this.table = table;
    this.rounds = rounds;
    this.seconds = seconds;
  }

  Child server() {
    return server;
  }

  Wrk wrk() {
    return wrk;
  }

  Table table() {
    return table;
  }

  int rounds() {
    return rounds;
  }

  int seconds() {
    return seconds;
  }

  /// A new sale.
  Crowd product(int units, String policy) throws IOException, InterruptedException {
    String id = Integer.toString(++products);
    server.create(id, units, policy);
    return new Crowd(server.redisSocket(), id);
  }

  static String id(Crowd crowd) {
    return crowd.keys().product().value();
  }

  /// The ceiling, joins, looks, and purchases refused because nothing is left.
  void hotRoutes() throws IOException, InterruptedException {
    Crowd joined = product(1, QUEUE);
    Crowd looked = product(1, QUEUE);
    looked.join(0, SAMPLE);
    Crowd soldOut = ready(2_000, 1);
    var _ = wrk.purchase(soldOut.sessions(0, 1), id(soldOut), 1);
    String join = JOIN.formatted(id(joined));
    List<String> sessions = looked.sessions(0, SAMPLE);
    List<String> late = soldOut.sessions(1, 2_000);
    double[][] speed = new double[4][rounds];
    double[][] cost = new double[4][rounds];
    // Two warm-up rounds: code that is not compiled yet is slow, and the compiler needs the same
    // processors.
    for (int i = -2; i < rounds; i++) {
      int time = i < 0 ? Math.max(8, seconds) : seconds;
      double[][] now = {
        costed(() -> wrk.get(LIVE, time).allGranted()),
        costed(() -> wrk.post("/api/queue/join", join, time).allGranted()),
        costed(() -> wrk.status(sessions, time).allGranted()),
        costed(() -> wrk.purchase(late, id(soldOut), time).allRefused())
      };
      System.out.println("round " + i + ": " + Arrays.deepToString(now));
      for (int k = 0; k < now.length && i >= 0; k++) {
        speed[k][i] = now[k][0];
        cost[k][i] = now[k][1];
      }
    }
    table.row("C: `GET /health/live`", figures(speed[0], cost[0]), "1", "", true);
    double[] least = {0, 0.35, 0.5, 0.5};
    String[] names = {"", "join / C", "status / C, 10,000 sessions", "sold out / C"};
    for (int k = 1; k < speed.length; k++) {
      table.ratio(names[k], figures(speed[k], cost[k]), over(speed[k], speed[0]), least[k]);
    }
  }

  interface Load {
    Wrk.Run run() throws IOException, InterruptedException;
  }

  /// Requests per second, and microseconds of processor time a request cost server and Redis.
  double[] costed(Load load) throws IOException, InterruptedException {
    rested();
    double before = server.processorSeconds();
    Wrk.Run run = load.run();
    double used = server.processorSeconds() - before;
    return new double[] {run.perSecond(), used * 1e6 / (run.granted() + run.refused())};
  }

  /// Waits for a rewrite of Redis's log, which is a cost of earlier work.
  void rested() throws IOException {
    try (RawRedis redis = new RawRedis(server.redisSocket())) {
      while (redis.info("persistence", "aof_rewrite_in_progress") > 0) {
        LockSupport.parkNanos(500_000_000);
      }
    }
  }

  static String figures(double[] speed, double[] cost) {
    return Table.perSecond(speed)
        + ", %.0f µs of processor time each".formatted(Table.median(cost));
  }

  /// Purchases over HTTP against the same script sent by a raw client, one purchase a run.
  void accepted() throws IOException, InterruptedException {
    int buyers = 60_000;
    int time = 3;
    double[] http = new double[rounds];
    double[] raw = new double[rounds];
    for (int i = 0; i < rounds; i++) {
      Crowd web = ready(buyers, buyers);
      http[i] =
          wrk.purchase(web.sessions(0, buyers), id(web), time).allGranted().granted()
              / (double) time;
      Crowd direct = ready(buyers / 2, buyers);
      raw[i] = buyers / 2.0 / direct.buy(buyers / 2, 1, 200);
      System.out.println("purchases: " + http[i] + " over HTTP, " + raw[i] + " raw");
    }
    String speeds = Table.perSecond(http) + " against " + Table.perSecond(raw);
    table.ratio("purchases accepted / raw client, 200 deep", speeds, over(http, raw), 0.35);
  }

  /// A burst of purchases, and the time until the relay has written it to PostgreSQL.
  void relay(Rows rows) throws IOException, InterruptedException {
    int orders = 40_000;
    double[] speed = new double[rounds];
    for (int i = 0; i < rounds; i++) {
      Crowd crowd = ready(orders, orders);
      Thread burst =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      var _ = crowd.buy(orders, 64, 8);
                    } catch (IOException | InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                  });
      List<Rows.Sight> sights = rows.until(id(crowd), orders);
      burst.join();
      Rows.Sight first =
          sights.stream().filter(sight -> sight.rows() > 0).findFirst().orElseThrow();
      Rows.Sight last = sights.getLast();
      speed[i] = (orders - first.rows()) / ((last.nanos() - first.nanos()) / 1e9);
      System.out.println("relay: " + speed[i]);
    }
    table.row(
        "relay into PostgreSQL, a burst of 40,000 orders",
        Table.perSecond(speed),
        String.format(Locale.ROOT, "%,.0f/s to %,.0f/s", Table.min(speed), Table.max(speed)),
        "at least 5,000/s",
        Table.median(speed) >= 5_000);
  }

  /// From the opening to the last of 1,000 units, with 10,000 waiting.
  void flash(Vertx vertx, Rows rows) throws IOException, InterruptedException {
    int units = 1_000;
    int[] marks = {1, 250, 500, 750, 1_000};
    double[][] at = new double[marks.length + 1][rounds];
    for (int i = -1; i < rounds; i++) {
      // The buyers are the first of the line, which a shuffle would change.
      Crowd crowd = product(units, "{\"preset\":\"flash\",\"pre_queue\":\"arrival\"}");
      crowd.join(0, 10_000);
      try (ShopClient shop = new ShopClient(vertx, "127.0.0.1", server.port(), 64, 10_000)) {
        Flash flash = new Flash(vertx, shop, id(crowd), crowd.sessions(0, 10_000), units);
        flash.start();
        LockSupport.parkNanos(500_000_000);
        long start = System.nanoTime();
        server.open(id(crowd));
        List<Rows.Sight> sights = rows.until(id(crowd), units);
        long[] sold = flash.sold();
        for (int k = 0; k < marks.length && i >= 0; k++) {
          at[k][i] = (sold[marks[k] - 1] - start) / 1e9;
        }
        if (i >= 0) {
          at[marks.length][i] = (sights.getLast().nanos() - start) / 1e9;
          System.out.println("flash: " + column(at, i));
        }
      }
    }
    StringBuilder line = new StringBuilder();
    for (int k = 0; k < marks.length; k++) {
      line.append("unit %,d at %.2f s, ".formatted(marks[k], Table.median(at[k])));
    }
    double[] last = at[marks.length];
    table.row(
        "flash sale, 10,000 waiting, 1,000 units, from `open`",
        line + "all in PostgreSQL at %.2f s".formatted(Table.median(last)),
        "%.2f s (%.2f to %.2f)".formatted(Table.median(last), Table.min(last), Table.max(last)),
        "within 1 s",
        Table.median(last) <= 1);
  }

  /// A sale with buyers of whom as many may buy at once as there are units.
  Crowd ready(int people, int units) throws IOException, InterruptedException {
    Crowd crowd = product(units, WIDE_OPEN);
    crowd.join(0, people);
    server.open(id(crowd));
    try (RawRedis redis = new RawRedis(server.redisSocket())) {
      long end = System.nanoTime() + 60_000_000_000L;
      while (Integer.parseInt(redis.call("ZCARD", crowd.keys().ready()))
          < Math.min(people, units)) {
        if (System.nanoTime() > end) {
          throw new IOException("not all came into ready slots");
        }
        LockSupport.parkNanos(50_000_000);
      }
    }
    return crowd;
  }

  static double[] over(double[] these, double[] those) {
    double[] ratios = new double[these.length];
    Arrays.setAll(ratios, i -> these[i] / those[i]);
    return ratios;
  }

  private static String column(double[][] values, int i) {
    return Arrays.toString(Arrays.stream(values).mapToDouble(row -> row[i]).toArray());
  }
}
