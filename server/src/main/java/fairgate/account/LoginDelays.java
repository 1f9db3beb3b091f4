package fairgate.account;

import fairgate.account.AttemptScript.Delays;
import fairgate.account.Budgets.Budget;
import fairgate.kernel.KeyRing;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// Slows down tries at one name's password, from wherever they come: OWASP's exponential delay
/// instead of a lock. The owner can be kept waiting for `longest` and no longer.
///
/// Names without an account are slowed down alike, and stand in Redis as a keyed hash.
final class LoginDelays {
  static final Delays DELAYS =
      new Delays(5, Duration.ofSeconds(1), Duration.ofMinutes(5), Duration.ofHours(24));

  private static final String PURPOSE = "login-name";
  private static final long PATIENCE_MS = 500;

  /// What one node grants while Redis is away.
  private static final Budget ALONE = new Budget("attempts", DELAYS.free(), DELAYS.longest());

  private final AttemptScript script;
  private final LocalBudgets local;
  private final KeyRing keys;

  LoginDelays(AttemptScript script, LocalBudgets local, KeyRing keys) {
    this.script = script;
    this.local = local;
    this.keys = keys;
  }

  /// How long to wait; zero when the try may be made. The future never fails.
  Future<Duration> attempt(String nameKey) {
    String hash = hash(nameKey);
    return script
        .run(AccountKeys.attempts(hash), DELAYS)
        .timeout(PATIENCE_MS, TimeUnit.MILLISECONDS)
        .otherwise(_ -> local.spend(ALONE, hash));
  }

  /// The try was right: earlier failures are forgotten. The future never fails; a failure that
  /// stays remembered ends by itself.
  Future<Void> succeeded(String nameKey) {
    return script.clear(AccountKeys.attempts(hash(nameKey))).otherwiseEmpty();
  }

  private String hash(String nameKey) {
    return keys.fingerprint(PURPOSE, nameKey);
  }
}
