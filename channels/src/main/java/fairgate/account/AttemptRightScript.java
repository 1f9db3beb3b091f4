package fairgate.account;

import fairgate.account.AttemptScript.Attempt;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// `attempt_right.lua`: an attempt at a password was right.
final class AttemptRightScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(AttemptRightScript.class, "attempt_right.lua");

  private final RedisClient redis;

  AttemptRightScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The remembered devices of a name.
  ///
  /// @param most the maximum; the device with the oldest sign-in is removed first
  /// @param life how long a device is remembered after its last sign-in
  record Devices(int most, Duration life) {}

  /// Forgets the failures of the client, and remembers its device.
  Future<Void> run(Attempt attempt, Devices devices) {
    return redis
        .run(
            SCRIPT,
            attempt.keys(),
            List.of(
                attempt.device(),
                Integer.toString(devices.most()),
                Long.toString(devices.life().toMillis())))
        .mapEmpty();
  }
}
