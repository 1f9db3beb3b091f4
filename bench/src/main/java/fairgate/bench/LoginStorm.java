package fairgate.bench;

import fairgate.crowd.Answer;
import fairgate.crowd.ShopClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/// A sale's calls at a steady pace, with and without a storm of logins beside them. Both are sent
/// by the clock, whether earlier ones were answered or not.
final class LoginStorm {
  private static final int SALE_PER_SECOND = 200;
  private static final int LOGINS_PER_SECOND = 1_000;
  private static final long TICK_NS = 5_000_000;

  private final ShopClient sale;
  private final ShopClient crowd;
  private final Vertx vertx;
  private final AtomicInteger names = new AtomicInteger();

  /// @param sale for the calls that are measured
  /// @param crowd for the logins
  LoginStorm(Vertx vertx, ShopClient sale, ShopClient crowd) {
    this.vertx = vertx;
    this.sale = sale;
    this.crowd = crowd;
  }

  /// The results of some seconds.
  ///
  /// @param joinsMs response times of the joins, sorted
  /// @param judged logins whose password was compared
  /// @param turnedAway logins refused with a retry time
  /// @param lost logins and joins without such a reply
  @SuppressWarnings("ArrayRecordComponent") // Its own, and handed to nobody.
  record Seconds(double[] joinsMs, int judged, int turnedAway, int lost) {
    double percentile(double share) {
      return joinsMs[(int) Math.min(joinsMs.length - 1L, Math.round(share * joinsMs.length))];
    }
  }

  Seconds run(String product, int seconds, boolean storm) throws InterruptedException {
    Queue<Double> joins = new ConcurrentLinkedQueue<>();
    AtomicInteger judged = new AtomicInteger();
    AtomicInteger away = new AtomicInteger();
    AtomicInteger lost = new AtomicInteger();
    Thread logins =
        pace(
            storm ? LOGINS_PER_SECOND : 0,
            seconds,
            () ->
                crowd
                    .login("nobody" + names.incrementAndGet(), "some password or other")
                    .onSuccess(answer -> count(answer, judged, away, lost)));
    Thread buyers =
        pace(
            SALE_PER_SECOND,
            seconds,
            () -> {
              long start = System.nanoTime();
              return sale.join(product)
                  .onSuccess(
                      answer -> {
                        if (answer.status() == 200) {
                          joins.add((System.nanoTime() - start) / 1e6);
                        } else {
                          lost.incrementAndGet();
                        }
                      });
            });
    buyers.join();
    logins.join();
    settle(joins, lost, SALE_PER_SECOND * seconds);
    double[] times = joins.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(times);
    return new Seconds(times, judged.get(), away.get(), lost.get());
  }

  private static void settle(Queue<Double> joins, AtomicInteger lost, int all) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
    while (joins.size() + lost.get() < all && System.nanoTime() < end) {
      LockSupport.parkNanos(TICK_NS);
    }
  }

  private static void count(
      Answer answer, AtomicInteger judged, AtomicInteger away, AtomicInteger lost) {
    switch (answer.status()) {
      case 401 -> judged.incrementAndGet();
      case 503 -> away.incrementAndGet();
      default -> lost.incrementAndGet();
    }
  }

  /// Sends calls at a fixed rate, a few per tick.
  private Thread pace(int perSecond, int seconds, Supplier<Future<Answer>> call) {
    return Thread.ofPlatform()
        .start(
            () -> {
              long start = System.nanoTime();
              int sent = 0;
              while (sent < perSecond * seconds) {
                long due = (System.nanoTime() - start) * perSecond / 1_000_000_000;
                for (; sent < Math.min(due, (long) perSecond * seconds); sent++) {
                  vertx.runOnContext(
                      _ -> {
                        var _ = call.get();
                      });
                }
                LockSupport.parkNanos(TICK_NS);
              }
            });
  }
}
