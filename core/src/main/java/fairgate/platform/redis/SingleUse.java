package fairgate.platform.redis;

import io.vertx.core.Future;
import java.time.Duration;

/// Values that may be used once within their life, such as nonces: `SET key 1 NX PX life`.
public record SingleUse(RedisClient redis) {
  /// Uses a value; true when it is the first time. Unknown when the future fails.
  ///
  /// @param key bounded by the caller in its length and its number
  public Future<Boolean> use(String key, Duration life) {
    return redis
        .send("SET", key, "1", "NX", "PX", Long.toString(life.toMillis()))
        .map(reply -> !reply.isNil());
  }
}
