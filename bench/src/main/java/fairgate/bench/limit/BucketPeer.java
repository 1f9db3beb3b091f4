package fairgate.bench.limit;

import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.distributed.proxy.RemoteBucketBuilder;
import io.github.bucket4j.distributed.proxy.optimization.DelayParameters;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Bucket4j over Lettuce, with one of its optimizations or without.
final class BucketPeer implements Peer {
  private static final Duration LIFE = Duration.ofSeconds(10);
  private static final DelayParameters DELAY = new DelayParameters(1_000, Duration.ofMillis(100));

  private final RedisClient client;
  private final ProxyManager<byte[]> buckets;
  private final @Nullable Optimization optimization;

  private BucketPeer(String uri, @Nullable Optimization optimization) {
    this.client = RedisClient.create(uri);
    this.buckets =
        Bucket4jLettuce.casBasedBuilder(client)
            .expirationAfterWrite(
                ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(LIFE))
            .build();
    this.optimization = optimization;
  }

  static Peer plain(String uri) {
    return new BucketPeer(uri, null);
  }

  static Peer batching(String uri) {
    return new BucketPeer(uri, Optimizations.batching());
  }

  /// May grant a thousand calls, or 100 ms, before it reads Redis again.
  static Peer delaying(String uri) {
    return new BucketPeer(uri, Optimizations.delaying(DELAY));
  }

  @Override
  public BooleanSupplier open(String key, int perSecond, int burst) {
    BucketConfiguration configuration =
        BucketConfiguration.builder()
            .addLimit(
                Bandwidth.builder()
                    .capacity(burst)
                    .refillGreedy(perSecond, Duration.ofSeconds(1))
                    .build())
            .build();
    RemoteBucketBuilder<byte[]> builder = buckets.builder();
    if (optimization != null) {
      builder = builder.withOptimization(optimization);
    }
    BucketProxy bucket = builder.build(key.getBytes(StandardCharsets.UTF_8), () -> configuration);
    return () -> bucket.tryConsume(1);
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
