package fairgate.account;

import fairgate.account.LoginDelays.AttemptScript.Attempt;
import fairgate.account.LoginDelays.AttemptScript.Delays;
import fairgate.account.LoginDelays.PasswordAcceptedScript.DeviceLimits;
import fairgate.kernel.Caller;
import fairgate.kernel.DeviceId;
import fairgate.kernel.KeyRing;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.run.LocalBudgets;
import fairgate.platform.run.LocalBudgets.Budget;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Delays password attempts exponentially per name and network, and limits the attempts at a name
/// from all networks together. A device that has signed in to the name before has only its own
/// exponential delay, and a network without failures always gets one attempt, so strangers cannot
/// lock out the owner.
///
/// Names without an account have the same delays. Redis has keyed hashes of names and devices.
final class LoginDelays {
  static final Delays DELAYS =
      new Delays(5, Duration.ofSeconds(1), Duration.ofMinutes(5), Duration.ofHours(24));

  /// Attempts at one name by all devices that never signed in to it.
  static final Budget STRANGERS = new Budget("login_name", 100, Duration.ofHours(1));

  static final DeviceLimits DEVICES = new DeviceLimits(20, Duration.ofDays(180));

  private static final String NAME_PURPOSE = "login-name";
  private static final String DEVICE_PURPOSE = "login-device";
  private static final long CALL_TIMEOUT_MS = 500;

  /// Attempts per network and name that one node grants while Redis is unavailable.
  private static final Budget ALONE = new Budget("attempts", DELAYS.free(), DELAYS.longest());

  private final AttemptScript script;
  private final PasswordAcceptedScript right;
  private final LocalBudgets local;
  private final KeyRing keys;

  LoginDelays(
      AttemptScript script, PasswordAcceptedScript right, LocalBudgets local, KeyRing keys) {
    this.script = script;
    this.right = right;
    this.local = local;
    this.keys = keys;
  }

  /// How long to wait; zero when the attempt may be made. The future never fails.
  Future<Duration> attempt(String nameKey, Caller caller) {
    Attempt attempt = of(nameKey, caller);
    return script
        .run(attempt, DELAYS, STRANGERS)
        .timeout(CALL_TIMEOUT_MS, TimeUnit.MILLISECONDS)
        .otherwise(_ -> alone(attempt));
  }

  /// Records a successful attempt: deletes this client's failures and remembers its device. The
  /// future never fails; a failure that could not be deleted expires.
  Future<Void> succeeded(String nameKey, Caller caller) {
    return right.run(of(nameKey, caller), DEVICES).otherwiseEmpty();
  }

  /// Deletes devices and attempts of a name that no account has any more. The future never fails;
  /// the rest expires.
  Future<Void> forget(String nameKey) {
    return script.forget(keys.fingerprint(NAME_PURPOSE, nameKey)).otherwiseEmpty();
  }

  private Duration alone(Attempt attempt) {
    String client = attempt.name() + ':' + attempt.network();
    boolean first = local.isUnused(ALONE, client);
    Duration wait = local.spend(ALONE, client);
    if (!wait.isZero()) {
      return wait;
    }
    Duration all = local.spend(STRANGERS, attempt.name());
    return first ? Duration.ZERO : all;
  }

  private Attempt of(String nameKey, Caller caller) {
    DeviceId device = caller.device();
    return new Attempt(
        keys.fingerprint(NAME_PURPOSE, nameKey),
        caller.address().key(),
        device == null ? "" : keys.fingerprint(DEVICE_PURPOSE, device.value()));
  }

  /// `password_accepted.lua`: a correct password undoes the failure that `attempt.lua` counted
  /// before the comparison.
  record PasswordAcceptedScript(RedisClient redis) {
    private static final LuaScript SCRIPT =
        LuaScript.load(PasswordAcceptedScript.class, "password_accepted.lua");

    /// Limits of the devices that are remembered for one sign-in name.
    ///
    /// @param max maximum number; the device with the oldest sign-in is removed first
    /// @param ttl how long a device is remembered after its last sign-in
    record DeviceLimits(int max, Duration ttl) {}

    /// Clears the delays of the network and of the device for this name, gives the attempt back to
    /// the budget of unknown devices unless the device was known, and remembers the device, if
    /// there is one. The keys are those of `attempt.lua`.
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

  /// `attempt.lua`: one attempt at a password.
  record AttemptScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(AttemptScript.class, "attempt.lua");

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
}
