package fairgate.bench;

import fairgate.testkit.line.FakeLine;
import fairgate.testkit.line.FakeWeather;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/// The response time of webhooks while their handlers hang: users ask for the weather at a fixed
/// rate, and the weather service answers only after the end.
final class LinePace implements AutoCloseable {
  static final int PER_SECOND = 500;
  private static final int SECONDS = 10;
  private static final long TICK_NS = 2_000_000;
  private static final int CONNECTIONS = 64;

  private final FakeLine line = FakeLine.start(LineLoad.SECRET, "none", Clock.systemUTC());
  private final FakeWeather weather = FakeWeather.start();

  /// The environment variables of the server.
  Map<String, String> environment() {
    return Map.of(
        "FAIRGATE_LINE_CHANNEL_SECRET",
        LineLoad.SECRET,
        "FAIRGATE_LINE_CHANNEL_TOKEN",
        "none",
        "FAIRGATE_LINE_API_URL",
        line.url(),
        "FAIRGATE_WEATHER_URL",
        weather.url());
  }

  /// Times from a webhook to its 200, sorted, in milliseconds.
  @SuppressWarnings("ArrayRecordComponent") // Its own, and handed to nobody.
  record Times(double[] ms) {
    double percentile(double share) {
      return ms[(int) Math.min(ms.length - 1L, Math.round(share * ms.length))];
    }
  }

  /// One round. Returns after every question has been answered once.
  Times run(Vertx vertx, LineLoad load, int port) throws IOException {
    List<String> asked = load.questions(PER_SECOND * SECONDS, System.currentTimeMillis());
    int before = line.shown().size();
    weather.hold();
    Times times;
    try {
      times = paced(vertx, asked, port);
    } finally {
      weather.release();
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (line.shown().size() < before + asked.size() && System.nanoTime() < end) {
      LockSupport.parkNanos(100 * TICK_NS);
    }
    int answers = line.shown().size() - before;
    if (answers != asked.size()) {
      throw new IOException(answers + " answers to " + asked.size() + " questions");
    }
    return times;
  }

  private static Times paced(Vertx vertx, List<String> asked, int port) throws IOException {
    HttpClient client =
        vertx.createHttpClient(
            new HttpClientOptions(),
            new PoolOptions().setHttp1MaxSize(CONNECTIONS).setMaxWaitQueueSize(-1));
    Queue<Double> times = new ConcurrentLinkedQueue<>();
    AtomicInteger lost = new AtomicInteger();
    long start = System.nanoTime();
    for (int sent = 0; sent < asked.size(); ) {
      long due = (System.nanoTime() - start) * PER_SECOND / 1_000_000_000;
      for (; sent < Math.min(due, asked.size()); sent++) {
        String signed = asked.get(sent);
        vertx.runOnContext(_ -> send(client, port, signed, times, lost));
      }
      LockSupport.parkNanos(TICK_NS);
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
    while (times.size() + lost.get() < asked.size() && System.nanoTime() < end) {
      LockSupport.parkNanos(TICK_NS);
    }
    var _ = client.close();
    if (times.size() < asked.size()) {
      throw new IOException(asked.size() - times.size() + " webhooks were not acknowledged");
    }
    double[] sorted = times.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    return new Times(sorted);
  }

  private static void send(
      HttpClient client, int port, String signed, Queue<Double> times, AtomicInteger lost) {
    long start = System.nanoTime();
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setHost("127.0.0.1")
            .setPort(port)
            .setURI("/line/webhook")
            .putHeader("X-Line-Signature", signed.substring(0, 44));
    var _ =
        client
            .request(options)
            .compose(
                request ->
                    request
                        .send(Buffer.buffer(signed.substring(45)))
                        .compose(answer -> answer.body().map(answer.statusCode())))
            .compose(
                status ->
                    status == 200
                        ? Future.succeededFuture()
                        : Future.failedFuture("status " + status))
            .onSuccess(_ -> times.add((System.nanoTime() - start) / 1e6))
            .onFailure(_ -> lost.incrementAndGet());
  }

  @Override
  public void close() {
    weather.close();
    line.close();
  }
}
