package fairgate.app.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.testkit.RespConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/// Samples a sale in Redis, independently of all nodes, while it is open.
final class SaleWatch implements AutoCloseable {
  private static final Duration EVERY = Duration.ofMillis(15);

  /// All counters at one time of Redis.
  private static final String LOOK =
      """
      local t = redis.call('TIME')
      local h = redis.call('HMGET', KEYS[1], 'admitted', 'held', 'confirmed', 'released')
      local function n(x) return tonumber(x or '0') end
      return { t[1] * 1000000 + t[2], n(h[1]), redis.call('ZCARD', KEYS[2]), n(redis.call('GET', KEYS[3])),
        n(h[2]) + n(h[3]), n(h[4]) }
      """;

  private final String redis;
  private final SaleKeys keys;
  private final List<Sample> samples = new CopyOnWriteArrayList<>();
  private final Thread thread;
  private volatile boolean over;

  /// @param micros Redis time
  /// @param sold held and confirmed units
  record Sample(long micros, long admitted, long active, long free, long sold, long released) {}

  SaleWatch(String redis, String product) {
    this.redis = redis;
    this.keys = SaleKeys.of(new ProductId(product), SaleKeys.Style.PLAIN);
    this.samples.add(look());
    this.thread = Thread.ofPlatform().name("sale-watch").start(this::run);
  }

  private void run() {
    while (!over) {
      samples.add(look());
      LockSupport.parkNanos(EVERY.toNanos());
    }
  }

  private Sample look() {
    List<Long> n =
        RespConnection.call(redis, "EVAL", LOOK, "3", keys.sale(), keys.active(), keys.stock())
            .lines()
            .map(Long::valueOf)
            .toList();
    return new Sample(n.get(0), n.get(1), n.get(2), n.get(3), n.get(4), n.get(5));
  }

  long sold() {
    return samples.getLast().sold();
  }

  /// Fails when more were active than allowed, more were admitted in a period than allowed, or
  /// units appeared or disappeared.
  void assertWithin(int capacity, int rate) {
    close();
    Sample[] all = samples.toArray(Sample[]::new);
    for (int from = 0; from < all.length; from++) {
      assertThat(all[from].active()).isLessThanOrEqualTo(capacity);
      assertThat(all[from].free() + all[from].sold()).isEqualTo(all[from].released());
      for (int to = from + 1; to < all.length; to++) {
        double seconds = (all[to].micros() - all[from].micros()) / 1e6;
        // A burst is the quota of a tenth of a second.
        if (all[to].admitted() - all[from].admitted() > rate * (seconds + 0.1) + 0.001) {
          throw new AssertionError("admitted too fast: " + all[from] + " to " + all[to]);
        }
      }
    }
  }

  @Override
  public void close() {
    over = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
