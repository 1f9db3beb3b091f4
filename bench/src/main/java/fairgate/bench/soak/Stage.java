package fairgate.bench.soak;

import fairgate.bench.Child;
import fairgate.bench.RawRedis;
import fairgate.crowd.Answer;
import fairgate.crowd.ShopClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The sales, links and orders for the crowd, and the checks after it has left.
final class Stage {
  private static final int LINKS = 100;
  private static final int WAITING = 300;
  private static final int CALIBRATING = 60_000;
  private static final int UNITS = 10_000_000;
  private static final long FIRST_ORDER = 7_000_000_000_000_000L;
  private static final int CHUNK = 50_000;
  private static final int REST_S = 120;

  /// Short windows, payment times and presence timeouts, so that the number of live objects soon
  /// becomes constant.
  private static final String POLICY =
      """
      {"preset":"flash","active_capacity":100000,"purchase_window_seconds":20,
       "payment_window_seconds":20,"presence_timeout_seconds":30,"unpaid_cooldown_seconds":10}
      """;

  private final Vertx vertx;
  private final Child server;
  private final Probe probe;
  private final Tally tally;
  private long orders;
  private long nextOrder;
  private int filesAtRest;
  private long redisAtRest;
  private double heapAtRest;
  private List<String> links = List.of();
  private List<String> sessions = List.of();

  Stage(Vertx vertx, Child server, Probe probe, Tally tally) {
    this.vertx = vertx;
    this.server = server;
    this.probe = probe;
    this.tally = tally;
  }

  /// The objects for the traffic; creates them at the first call.
  Traffic.Supply supply() throws IOException, InterruptedException {
    if (links.isEmpty()) {
      server.create(Traffic.OPEN, UNITS, POLICY);
      server.open(Traffic.OPEN);
      server.create(
          Traffic.CLOSED, 10, "{\"preset\":\"queue\",\"opens_at\":\"2099-01-01T00:00:00Z\"}");
      links = links();
      sessions = waiting();
      sql(
          "INSERT INTO redeem_products (id, name, duration_days, actor)"
              + " VALUES ('soak', 'soak', 30, 'bench')");
      provide(CALIBRATING);
    }
    return new Traffic.Supply(sessions, links, nextOrder == 0 ? FIRST_ORDER : nextOrder);
  }

  private List<String> links() {
    List<String> paths = new ArrayList<>(LINKS);
    for (int i = 0; i < LINKS; i++) {
      paths.add("/soak%05d".formatted(i));
    }
    sql(
        """
        INSERT INTO short_links (code, url, owner, redirect_status)
        SELECT 'soak' || lpad(n::text, 5, '0'), 'https://example.com/' || n, 'bench', 302
        FROM generate_series(0, %d) AS n
        """
            .formatted(LINKS - 1));
    return paths;
  }

  private List<String> waiting() {
    List<String> places = new ArrayList<>(WAITING);
    try (Caller caller = new Caller(vertx, server.port(), new Tally())) {
      for (int i = 0; i < WAITING; i++) {
        Answer joined = answer(Visitor.join(caller, Caller.anyAddress(), Traffic.CLOSED));
        if (joined.status() != 200) {
          throw new IllegalStateException("joining was answered " + joined);
        }
        places.add(joined.text("session_id"));
      }
    }
    return places;
  }

  /// More paid orders, to be claimed.
  void provide(long more) {
    for (long made = 0; made < more; made += CHUNK) {
      sql(
          """
          INSERT INTO orders (platform, order_id, product_id, status, paid_at, imported_at)
          SELECT 'taobao', 'TB' || n, 'soak', 'paid', now(), now()
          FROM generate_series(%d, %d) AS n
          """
              .formatted(FIRST_ORDER + orders, FIRST_ORDER + orders + CHUNK - 1));
      orders += CHUNK;
    }
  }

  private void sql(String statement) {
    var _ = probe.postgres().query(statement).await();
  }

  /// The listeners that stay for the whole time, each of another place.
  void listen(Caller caller, List<String> places) {
    for (String place : places) {
      var _ =
          caller.stream(place, Caller.anyAddress(), () -> tally.wrong("an event stream was ended"));
    }
  }

  /// Waits until no work is pending, and records the resources of the idle server.
  void atRest() throws IOException, InterruptedException {
    double _ = settled();
    filesAtRest = probe.look().files();
    redisAtRest = probe.look().redisClients();
    heapAtRest = probe.heap();
  }

  /// A new round begins: orders claimed before are behind it.
  void restart() {
    nextOrder = FIRST_ORDER + CALIBRATING;
    tally.clear();
  }

  void lastAnswers(Caller caller) throws InterruptedException {
    for (int i = 0; i < REST_S && caller.flying() > 0; i++) {
      Soak.sleep(1_000);
    }
    // Visitors with think time send one more call.
    Soak.sleep(15_000);
  }

  /// Seconds until no unit is held and no buyer is ready.
  private double settled() throws InterruptedException {
    long begin = System.nanoTime();
    try (ShopClient shop = shop()) {
      for (int i = 0; i < REST_S; i++) {
        Answer live =
            answer(
                shop.admin(
                    "GET", "/api/admin/products/" + Traffic.OPEN + "/live", server.token(), null));
        if (live.number("held") + live.number("active") + live.number("waiting") == 0) {
          break;
        }
        Soak.sleep(1_000);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return (System.nanoTime() - begin) / 1e9;
  }

  /// Checks that resources are as before once the crowd has left.
  void after(Verdicts verdicts, Path root) throws IOException, InterruptedException {
    double seconds = settled();
    verdicts.row(
        "units held and turns left after the traffic",
        "none after %.0f s".formatted(seconds),
        "",
        "none within %d s".formatted(REST_S),
        seconds < REST_S);
    int files = probe.files();
    for (int i = 0; i < REST_S && files > filesAtRest + 10; i++) {
      Soak.sleep(1_000);
      files = probe.files();
    }
    number(verdicts, "open files, before and after", filesAtRest, files, 10);
    number(verdicts, "connections to Redis", redisAtRest, probe.look().redisClients(), 2);
    double heap = probe.heap();
    // Caches with a bound have filled since.
    double max = heapAtRest * 0.2 + 10;
    verdicts.row(
        "heap before and after, MiB",
        "%.1f, %.1f".formatted(heapAtRest, heap),
        "%+.1f".formatted(heap - heapAtRest),
        "%+.1f".formatted(max),
        heap - heapAtRest <= max);
    try (RawRedis redis = new RawRedis(server.redisSocket())) {
      new EternalKeys(root).judge(redis, verdicts);
    }
  }

  private static void number(Verdicts verdicts, String what, long before, long now, int more) {
    verdicts.row(
        what + " (before, after)",
        "%,d, %,d".formatted(before, now),
        "%+,d".formatted(now - before),
        "%+,d".formatted(more),
        now - before <= more);
  }

  private ShopClient shop() {
    return new ShopClient(vertx, "127.0.0.1", server.port(), 4, 10_000);
  }

  private static <T> T answer(Future<T> future) {
    try {
      return future.await(20, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }
}
