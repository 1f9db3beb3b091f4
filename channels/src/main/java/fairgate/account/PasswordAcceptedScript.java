package fairgate.account;

import fairgate.account.AttemptScript.Attempt;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// `password_accepted.lua`: a correct password undoes the failure that `attempt.lua` counted before
/// the comparison.
final class PasswordAcceptedScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(PasswordAcceptedScript.class, "password_accepted.lua");

  private final RedisClient redis;

  PasswordAcceptedScript(RedisClient redis) {
    this.redis = redis;
  }

  /// Limits of the devices that are remembered for one sign-in name.
  ///
  /// @param max maximum number; the device with the oldest sign-in is removed first
  /// @param ttl how long a device is remembered after its last sign-in
  record DeviceLimits(int max, Duration ttl) {}

  /// Clears the delays of the network and of the device for this name, gives the attempt back to
  /// the budget of unknown devices unless the device was known, and remembers the device, if there
  /// is one. The keys are those of `attempt.lua`.
  Future<Void> run(Attempt attempt, DeviceLimits limits) {
    return redis
        .run(
            SCRIPT,
            attempt.keys(),
            List.of(
                attempt.device(),
                Integer.toString(limits.max()),
                Long.toString(limits.ttl().toMillis())))
        .mapEmpty();
  }
}
