package fairgate.gate.signature;

import fairgate.gate.limit.LimitFacts;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;

/// Stores nonces: `SET key 1 NX PX life`, with the keys that the limits use as well.
final class RedisNonces {
  private final RedisClient redis;
  private final String tag;

  RedisNonces(RedisClient redis) {
    this.redis = redis;
    this.tag = redis.tag(LimitFacts.TAG);
  }

  /// Stores a nonce; true when it is new. Unknown when the future fails.
  Future<Boolean> spend(String key, Duration life) {
    return redis
        .send("SET", tag + key, "1", "NX", "PX", Long.toString(life.toMillis()))
        .map(reply -> !reply.isNil());
  }
}
