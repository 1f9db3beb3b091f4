package fairgate.gate.signature;

import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;

/// Remembers nonces: `SET key 1 NX PX life`.
final class RedisNonces {
  private final RedisClient redis;

  RedisNonces(RedisClient redis) {
    this.redis = redis;
  }

  /// Whether it was not there before. A failed future says nothing of that.
  Future<Boolean> spend(String key, Duration life) {
    return redis
        .send("SET", key, "1", "NX", "PX", Long.toString(life.toMillis()))
        .map(reply -> !reply.isNil());
  }
}
