package fairgate.bench;

import fairgate.crowd.ShopClient;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A batch of 250 units whose turns the queue gives out in one pass: when the purchase tokens reach
/// the open pages, and how long the purchases take that all send at once. With several lengths of
/// the jitter.
final class JitterSpread {
  private static final int UNITS = 250;
  private static final int[] JITTERS_MS = {0, 100, 1_000};
  private static final Pattern TOKEN = Pattern.compile("\"purchase_token\":\"([^\"]+)\"");
  private static final String POLICY =
      """
      {"preset": "flash", "active_capacity": 250, "admit_per_second": null, "jitter_ms": %d}
      """;

  private final Vertx vertx;
  private final Measures measures;

  JitterSpread(Vertx vertx, Measures measures) {
    this.vertx = vertx;
    this.measures = measures;
  }

  void run() throws IOException, InterruptedException {
    double[][] spread = new double[JITTERS_MS.length][measures.rounds()];
    double[][] together = new double[JITTERS_MS.length][measures.rounds()];
    double[][] p99 = new double[JITTERS_MS.length][measures.rounds()];
    for (int i = -2; i < measures.rounds(); i++) {
      for (int k = 0; k < JITTERS_MS.length; k++) {
        Batch batch = new Batch(measures.product(UNITS, POLICY.formatted(JITTERS_MS[k])));
        batch.sell();
        System.out.println("jitter " + JITTERS_MS[k] + " ms: " + batch);
        if (i >= 0) {
          spread[k][i] = batch.spreadMs();
          together[k][i] = batch.mostInOneMs();
          p99[k][i] = batch.purchaseMs(0.99);
        }
      }
    }
    for (int k = 0; k < JITTERS_MS.length; k++) {
      measures
          .table()
          .row(
              "250 turns of one pass, `jitter_ms` %,d".formatted(JITTERS_MS[k]),
              "tokens arrive within %.0f ms, at most %.0f in one millisecond"
                  .formatted(Table.median(spread[k]), Table.median(together[k])),
              "p99 of their purchases %.0f ms (%.0f to %.0f)"
                  .formatted(Table.median(p99[k]), Table.min(p99[k]), Table.max(p99[k])),
              "",
              true);
    }
  }

  /// One sale of one batch.
  private final class Batch {
    private final Crowd crowd;
    private final Queue<Long> tokens = new ConcurrentLinkedQueue<>();
    private final Queue<Long> purchases = new ConcurrentLinkedQueue<>();

    Batch(Crowd crowd) {
      this.crowd = crowd;
    }

    void sell() throws IOException, InterruptedException {
      crowd.join(0, UNITS);
      HttpClient pages =
          vertx.createHttpClient(new HttpClientOptions(), new PoolOptions().setHttp1MaxSize(UNITS));
      try (ShopClient shop =
          new ShopClient(vertx, "127.0.0.1", measures.server().port(), UNITS, 10_000)) {
        List<Future<Void>> sold = new ArrayList<>();
        List<Future<Void>> open = new ArrayList<>();
        for (String session : crowd.sessions(0, UNITS)) {
          Page page = new Page(shop, session);
          open.add(page.open(pages));
          sold.add(page.sold.future());
        }
        Future.all(open).await(20, TimeUnit.SECONDS);
        // All connections of the purchases are there before the turns begin.
        Future.all(crowd.sessions(0, UNITS).stream().map(shop::status).toList())
            .await(20, TimeUnit.SECONDS);
        measures.server().open(Measures.id(crowd));
        Future.all(sold).await(30, TimeUnit.SECONDS);
      } catch (java.util.concurrent.TimeoutException e) {
        throw new IOException("not all have bought", e);
      } finally {
        var _ = pages.close();
      }
    }

    double spreadMs() {
      long[] at = tokens.stream().mapToLong(Long::longValue).sorted().toArray();
      return (at[at.length - 1] - at[0]) / 1e6;
    }

    int mostInOneMs() {
      Map<Long, Integer> counts = new HashMap<>();
      tokens.forEach(at -> counts.merge(at / 1_000_000, 1, Integer::sum));
      return counts.values().stream().mapToInt(Integer::intValue).max().orElseThrow();
    }

    double purchaseMs(double share) {
      long[] took = purchases.stream().mapToLong(Long::longValue).sorted().toArray();
      return took[(int) Math.ceil(share * took.length) - 1] / 1e6;
    }

    @Override
    public String toString() {
      return "tokens within %.0f ms, at most %d in one ms; purchases p50 %.1f ms, p99 %.1f ms"
          .formatted(spreadMs(), mostInOneMs(), purchaseMs(0.5), purchaseMs(0.99));
    }

    /// An open page: buys one unit as soon as its stream has the token.
    private final class Page {
      private final ShopClient shop;
      private final String session;
      private final Promise<Void> opened = Promise.promise();
      private final Promise<Void> sold = Promise.promise();
      private String text = "";
      private boolean buys;

      Page(ShopClient shop, String session) {
        this.shop = shop;
        this.session = session;
      }

      Future<Void> open(HttpClient pages) {
        RequestOptions stream =
            new RequestOptions()
                .setMethod(HttpMethod.GET)
                .setHost("127.0.0.1")
                .setPort(measures.server().port())
                .setURI("/api/queue/stream?session_id=" + session);
        var _ =
            pages
                .request(stream)
                .compose(request -> request.send())
                .onSuccess(response -> response.handler(this::read))
                .onFailure(opened::tryFail);
        return opened.future();
      }

      private void read(Buffer bytes) {
        opened.tryComplete();
        // The stream may tell the token again.
        if (buys) {
          return;
        }
        text += bytes;
        Matcher found = TOKEN.matcher(text);
        if (found.find()) {
          buys = true;
          buy(found.group(1));
        }
      }

      private void buy(String token) {
        long from = System.nanoTime();
        tokens.add(from);
        var _ =
            shop.purchase(session, Measures.id(crowd), 1, token, "")
                .onSuccess(
                    answer -> {
                      purchases.add(System.nanoTime() - from);
                      if (answer.ok()) {
                        sold.tryComplete();
                      } else {
                        sold.tryFail("a purchase was refused: " + answer.body());
                      }
                    });
      }
    }
  }
}
