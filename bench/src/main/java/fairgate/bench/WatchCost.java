package fairgate.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/// The cost of operators who watch a flash sale: joins of the open sale, alone and beside 50 open
/// live views of it, in turn. This process reads the streams, so their clients' work counts, too;
/// the joins begin when each view has its first event.
final class WatchCost {
  private static final int OPERATORS = 50;

  private final Measures measures;
  private final String product;
  private final AtomicLong events = new AtomicLong();

  WatchCost(Measures measures) throws IOException, InterruptedException {
    this.measures = measures;
    this.product =
        Measures.id(
            measures.product(
                1_000_000,
                "{\"preset\":\"flash\",\"places_per_ip\":null,\"places_per_network\":null}"));
    measures.server().open(product);
  }

  void run() throws IOException, InterruptedException {
    double[] alone = new double[measures.rounds()];
    double[] watched = new double[measures.rounds()];
    for (int i = -2; i < measures.rounds(); i++) {
      // The order changes, so that a growing queue favours neither.
      double first = i % 2 == 0 ? joins() : besideOperators();
      double second = i % 2 == 0 ? besideOperators() : joins();
      if (i >= 0) {
        alone[i] = i % 2 == 0 ? first : second;
        watched[i] = i % 2 == 0 ? second : first;
        System.out.println("round " + i + ": " + alone[i] + " alone, " + watched[i] + " watched");
      }
    }
    System.out.println("events read: " + events.get());
    measures
        .table()
        .ratio(
            "join of an open flash sale, %d operators watching / none".formatted(OPERATORS),
            Table.perSecond(watched) + " / " + Table.perSecond(alone),
            Measures.over(watched, alone),
            0.97);
  }

  private double joins() throws IOException, InterruptedException {
    return measures
        .wrk()
        .post(
            "/api/queue/join",
            "{\"product_id\":\"" + product + "\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}",
            measures.seconds())
        .allGranted()
        .perSecond();
  }

  private double besideOperators() throws IOException, InterruptedException {
    CountDownLatch seen = new CountDownLatch(OPERATORS);
    try (HttpClient operators = HttpClient.newHttpClient()) {
      List<CompletableFuture<Void>> streams = new ArrayList<>();
      for (int i = 0; i < OPERATORS; i++) {
        streams.add(watch(operators, seen));
      }
      if (!seen.await(30, TimeUnit.SECONDS)) {
        throw new IOException(seen.getCount() + " operators saw nothing");
      }
      long before = events.get();
      double speed = joins();
      if (events.get() - before < OPERATORS) {
        throw new IOException("the operators saw nothing");
      }
      streams.forEach(stream -> stream.cancel(true));
      operators.shutdownNow();
      return speed;
    }
  }

  private CompletableFuture<Void> watch(HttpClient operators, CountDownLatch seen)
      throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(
                    "http://127.0.0.1:%d/api/admin/products/%s/live/stream"
                        .formatted(measures.server().port(), product)))
            .header("Authorization", "Bearer " + measures.server().token())
            .build();
    return operators
        .sendAsync(request, HttpResponse.BodyHandlers.ofLines())
        .thenAccept(answer -> count(answer.body(), seen));
  }

  private void count(Stream<String> lines, CountDownLatch seen) {
    AtomicBoolean first = new AtomicBoolean(true);
    lines
        .filter(line -> line.equals("event: now"))
        .forEach(
            _ -> {
              events.incrementAndGet();
              if (first.getAndSet(false)) {
                seen.countDown();
              }
            });
  }
}
