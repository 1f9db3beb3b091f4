package fairgate.bench.limit;

import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import io.vertx.core.Vertx;
import java.time.Duration;

/// A node's event loops and its connections to Redis.
record RedisNode(Vertx vertx, RedisClient redis) implements AutoCloseable {
  RedisNode(String uri) {
    this(Vertx.vertx(), uri);
  }

  private RedisNode(Vertx vertx, String uri) {
    this(vertx, RedisClient.connect(vertx, new RedisSettings(uri, Duration.ofSeconds(10))).await());
  }

  @Override
  public void close() {
    redis.close();
    var _ = vertx.close();
  }
}
