package fairgate.bench.limit;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/// Redisson's `RRateLimiter`, which has no burst: a number of calls per second.
final class RedissonPeer implements Peer {
  private final RedissonClient client;

  RedissonPeer(String uri) {
    Config config = new Config();
    var _ = config.useSingleServer().setAddress(uri);
    this.client = Redisson.create(config);
  }

  @Override
  public BooleanSupplier open(String key, int perSecond, int burst) {
    RRateLimiter limiter = client.getRateLimiter(key);
    // False when another node has set it already.
    boolean _ = limiter.trySetRate(RateType.OVERALL, perSecond, Duration.ofSeconds(1));
    return limiter::tryAcquire;
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
