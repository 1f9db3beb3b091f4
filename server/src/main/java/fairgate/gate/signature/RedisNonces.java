package fairgate.gate.signature;

import fairgate.gate.limit.LimitFacts;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;

/// Remembers nonces: `SET key 1 NX PX life`, by the names the limits know them by.
final class RedisNonces {
  private final RedisClient redis;
  private final String tag;

  RedisNonces(RedisClient redis) {
    this.redis = redis;
    this.tag = redis.tag(LimitFacts.TAG);
  }

  /// Whether it was not there before. A failed future says nothing of that.
  Future<Boolean> spend(String key, Duration life) {
    return redis
        .send("SET", tag + key, "1", "NX", "PX", Long.toString(life.toMillis()))
        .map(reply -> !reply.isNil());
  }
}
