package fairgate.account;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.run.LocalBudgets.Budget;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// `attempt.lua`: one attempt at a password.
final class AttemptScript {
  private static final LuaScript SCRIPT = LuaScript.load(AttemptScript.class, "attempt.lua");

  private final RedisClient redis;

  AttemptScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The name and the client of an attempt.
  ///
  /// @param name keyed hash of the name
  /// @param network key of the client's address
  /// @param device keyed hash of the device; empty for a client that cannot be recognized
  record Attempt(String name, String network, String device) {
    /// The keys of `attempt.lua` and of `password_accepted.lua`.
    List<String> keys() {
      return List.of(
          AccountKeys.devices(name),
          AccountKeys.strangers(name),
          AccountKeys.attempts(name, "net:" + network),
          AccountKeys.attempts(name, "device:" + device));
    }
  }

  /// The delays after failed attempts.
  ///
  /// @param free failures without a delay
  /// @param first the first delay; each further failure doubles it
  /// @param longest the maximum delay
  /// @param life how long failures are remembered after the last attempt
  record Delays(int free, Duration first, Duration longest, Duration life) {}

  /// Forgets the devices that signed in to a name, and the tries of all others.
  Future<Void> forget(String name) {
    return redis.send("DEL", AccountKeys.devices(name), AccountKeys.strangers(name)).mapEmpty();
  }

  /// How long to wait; zero when the attempt may be made. Then it counts as failed until
  /// [LoginDelays.PasswordAcceptedScript] runs.
  ///
  /// @param strangers budget of one name for all devices that never signed in to it
  Future<Duration> run(Attempt attempt, Delays delays, Budget strangers) {
    return redis
        .run(
            SCRIPT,
            attempt.keys(),
            List.of(
                attempt.device(),
                Integer.toString(delays.free()),
                Long.toString(delays.first().toMillis()),
                Long.toString(delays.longest().toMillis()),
                Long.toString(delays.life().toMillis()),
                Integer.toString(strangers.max()),
                Long.toString(strangers.window().toMillis())))
        .map(RedisReply::number)
        .map(Duration::ofMillis);
  }
}
