package fairgate.account;

import fairgate.account.PasswordHasher.PasswordHash;
import fairgate.account.PostgresAccounts.Stored;
import fairgate.kernel.Caller;
import java.time.Duration;

/// Checks the password of a name. Known and unknown names cost the same: every attempt that no
/// limit refuses computes one hash.
///
/// @param limited whether tries at one name are slowed down
record PasswordCheck(
    PostgresAccounts accounts, LoginDelays delays, PasswordHasher hasher, boolean limited) {
  sealed interface Result {
    /// It is the account's.
    ///
    /// @param stored the account, with its hash as it is now
    record Correct(Stored stored) implements Result {}

    record Wrong() implements Result {}

    /// The caller may try again after so long.
    record TooMany(Duration retryAfter) implements Result {}
  }

  /// One try. Blocks.
  ///
  /// @param nameKey the name as names are compared
  /// @param password in its normal form
  Result check(String nameKey, String password, Caller caller) {
    if (limited) {
      Duration wait = delays.attempt(nameKey, caller).await();
      if (!wait.isZero()) {
        return new Result.TooMany(wait);
      }
    }
    Stored stored = accounts.byName(nameKey).await().orElse(null);
    // An account without a password signs in by other ways only.
    if (stored == null || stored.password().isEmpty()) {
      var _ = hasher.matchesNobody(password);
      return new Result.Wrong();
    }
    PasswordHash hash =
        PasswordHash.parse(stored.password())
            .orElseThrow(() -> new IllegalStateException("a stored hash is none"));
    if (!hasher.matches(password, hash)) {
      return new Result.Wrong();
    }
    if (hasher.outdated(hash)) {
      String newer = hasher.hash(password).text();
      if (!accounts.replace(stored, newer)) {
        // Another call has replaced the hash: a newer hash of the same password, or another
        // password.
        return check(nameKey, password, caller);
      }
      stored = new Stored(stored.account(), newer);
    }
    if (limited) {
      delays.succeeded(nameKey, caller).await();
    }
    return new Result.Correct(stored);
  }
}
