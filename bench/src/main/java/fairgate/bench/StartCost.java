package fairgate.bench;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// The time from the start of a server on existing data to its first answer, and its latency in the
/// first ten seconds under load compared with the same server when it is warm; without and with an
/// AOT cache.
///
/// The load is half of what the soak test found to be borne: requests on schedule, of ten five
/// places in a queue, three pages and two joins. A latency counts from the scheduled time.
final class StartCost {
  private static final int PER_SECOND = 2_000;
  private static final int FIRST_S = 10;
  private static final int WARM_UP_S = 20;
  private static final String SALE = "90";
  private static final int SESSIONS = 1_000;
  private static final long TICK_NS = 2_000_000;

  private final Vertx vertx;
  private final Table table;
  private final Path jar;
  private final Path folder;

  StartCost(Vertx vertx, Table table, Path jar, Path folder) {
    this.vertx = vertx;
    this.table = table;
    this.jar = jar;
    this.folder = folder;
  }

  void run() throws IOException, InterruptedException {
    Path data = folder.resolve("start");
    try (Child first = Child.start(jar, data, Map.of())) {
      first.create(SALE, 1, Measures.QUEUE);
      new Crowd(first.redisSocket(), SALE).join(0, SESSIONS);
      first.open(SALE);
    }
    measure("without a cache", data, List.of());
    Path cache = folder.resolve("fairgate.aot");
    long begun = System.nanoTime();
    Child.train(jar, cache);
    table.note(
        "AOT cache: %.0f MB, written in %.0f s."
            .formatted(Files.size(cache) / 1e6, (System.nanoTime() - begun) / 1e9));
    measure("with an AOT cache", data, List.of("-XX:AOTCache=" + cache));
  }

  private void measure(String how, Path data, List<String> options)
      throws IOException, InterruptedException {
    long begun = System.nanoTime();
    try (Child server = Child.start(jar, data, Map.of(), options)) {
      double ready = (System.nanoTime() - begun) / 1e9;
      table.row(
          "start on existing data, engines included, " + how,
          "",
          "%.1f s".formatted(ready),
          "within 5 s",
          ready <= 5);
      List<String> sessions = new Crowd(server.redisSocket(), SALE).sessions(0, SESSIONS);
      try (Load load = new Load(vertx, server.port(), sessions)) {
        double[] cold = load.percentiles(FIRST_S);
        double[] _ = load.percentiles(WARM_UP_S);
        double[] warm = load.percentiles(FIRST_S);
        table.row(
            "%,d requests/s: first %d s / warm, %s".formatted(PER_SECOND, FIRST_S, how),
            "p50 %.1f ms / %.1f ms, p99 %.1f ms / %.1f ms"
                .formatted(cold[0], warm[0], cold[1], warm[1]),
            "p99 %.1f".formatted(cold[1] / warm[1]),
            "p99 at most 3",
            cold[1] <= 3 * warm[1]);
        table.note("Failed requests " + how + ": " + load.failed());
      }
    }
  }

  /// Requests on schedule, whether earlier ones were answered or not.
  private static final class Load implements AutoCloseable {
    private final HttpClient client;
    private final List<String> sessions;
    private final ConcurrentLinkedQueue<Long> micros = new ConcurrentLinkedQueue<>();
    private final AtomicLong failed = new AtomicLong();
    private long number;

    Load(Vertx vertx, int port, List<String> sessions) {
      this.client =
          vertx.createHttpClient(
              new HttpClientOptions()
                  .setDefaultHost("127.0.0.1")
                  .setDefaultPort(port)
                  .setKeepAlive(true),
              new PoolOptions().setHttp1MaxSize(256));
      this.sessions = sessions;
    }

    long failed() {
      return failed.get();
    }

    /// Sends for these seconds; p50 and p99 in ms.
    double[] percentiles(int seconds) {
      micros.clear();
      long begun = System.nanoTime();
      long total = (long) PER_SECOND * seconds;
      long gap = 1_000_000_000L / PER_SECOND;
      for (long sent = 0; sent < total; ) {
        long due = Math.min(total, (System.nanoTime() - begun) / gap);
        for (; sent < due; sent++) {
          send(begun + sent * gap);
        }
        LockSupport.parkNanos(TICK_NS);
      }
      LockSupport.parkNanos(500_000_000);
      List<Long> sorted = new ArrayList<>(micros);
      sorted.sort(Long::compare);
      return new double[] {at(sorted, 0.5), at(sorted, 0.99)};
    }

    private static double at(List<Long> sorted, double share) {
      return sorted.isEmpty() ? Double.NaN : sorted.get((int) (sorted.size() * share)) / 1e3;
    }

    private void send(long scheduled) {
      int kind = (int) (number++ % 10);
      String path = path(kind);
      HttpMethod method = kind < 8 ? HttpMethod.GET : HttpMethod.POST;
      client
          .request(method, path)
          .compose(
              request ->
                  (kind < 8
                          ? request.send()
                          : request
                              .putHeader("Content-Type", "application/json")
                              .send(Measures.JOIN.formatted(SALE)))
                      .compose(answer -> answer.body().map(_ -> answer.statusCode())))
          .onComplete(
              done -> {
                var _ = micros.add((System.nanoTime() - scheduled) / 1_000);
                if (done.failed() || done.result() >= 400) {
                  long _ = failed.incrementAndGet();
                }
              });
    }

    private String path(int kind) {
      if (kind < 5) {
        return "/api/queue/status?session_id=" + sessions.get((int) (number % sessions.size()));
      }
      return kind < 8 ? "/p/" + SALE : "/api/queue/join";
    }

    @Override
    public void close() {
      var _ = client.close();
    }
  }
}
