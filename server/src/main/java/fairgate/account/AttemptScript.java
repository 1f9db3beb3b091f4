package fairgate.account;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// `attempt.lua`: one try at a password.
final class AttemptScript {
  private static final LuaScript SCRIPT = LuaScript.load(AttemptScript.class, "attempt.lua");

  private final RedisClient redis;

  AttemptScript(RedisClient redis) {
    this.redis = redis;
  }

  /// How tries that fail are slowed down.
  ///
  /// @param free failures without a delay
  /// @param first the first delay; each further failure doubles it
  /// @param longest the delay it stops at
  /// @param life how long a failure is remembered after the last try
  record Delays(int free, Duration first, Duration longest, Duration life) {}

  /// How long to wait; zero when the try may be made, and then it counts as failed until `clear`.
  Future<Duration> run(String key, Delays delays) {
    return redis
        .run(
            SCRIPT,
            List.of(key),
            List.of(
                Integer.toString(delays.free()),
                Long.toString(delays.first().toMillis()),
                Long.toString(delays.longest().toMillis()),
                Long.toString(delays.life().toMillis())))
        .map(RedisReply::number)
        .map(Duration::ofMillis);
  }

  /// Forgets the failures.
  Future<Void> clear(String key) {
    return redis.send("DEL", key).mapEmpty();
  }
}
