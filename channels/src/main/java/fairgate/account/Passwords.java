package fairgate.account;

import fairgate.account.PasswordHasher.PasswordHash;
import fairgate.kernel.Caller;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The password mechanism of accounts for people who are not accounts, such as operators: the same
/// rules, hashing, delays after failed attempts and limit of concurrent work. All methods block
/// except [#run].
public final class Passwords {
  private final PasswordHasher hasher;
  private final LoginDelays delays;
  private final Bulkhead bulkhead;
  private final boolean limited;
  private final PasswordRules rules = new PasswordRules();

  Passwords(PasswordHasher hasher, LoginDelays delays, Bulkhead bulkhead, boolean limited) {
    this.hasher = hasher;
    this.delays = delays;
    this.bulkhead = bulkhead;
    this.limited = limited;
  }

  /// The problem of a new password, as the rest of a message key after `invalid.`; empty if there
  /// is none.
  ///
  /// @param nameKey the person's name in the form for comparison
  public Optional<String> problem(String password, String nameKey) {
    return rules.problemOf(PasswordRules.normalized(password), nameKey);
  }

  public String hash(String password) {
    return hasher.hash(PasswordRules.normalized(password)).text();
  }

  /// The hash of a password under the settings, for the command line; empty when it has not 8 to
  /// 128 characters.
  public static Optional<String> hash(String password, AccountConfig.Hashing settings) {
    String normalized = PasswordRules.normalized(password);
    if (!PasswordRules.isLongEnough(normalized)) {
      return Optional.empty();
    }
    try (PasswordHasher hasher = new PasswordHasher(settings, new SecureRandom())) {
      return Optional.of(hasher.hash(normalized).text());
    }
  }

  /// Counts an attempt as failed until [#accepted].
  ///
  /// @param subject a kind and a name; names of accounts have no colon
  /// @return the time to wait; zero when the attempt may be made
  public Duration attempt(String subject, Caller caller) {
    return limited ? delays.attempt(subject, caller).await() : Duration.ZERO;
  }

  /// Whether the password has this hash. Takes as long without a hash, and is then false.
  ///
  /// @param hash a PHC string; null for a person who is unknown or has no password
  public boolean matches(String password, @Nullable String hash) {
    String normalized = PasswordRules.normalized(password);
    if (hash == null) {
      return hasher.matchesNobody(normalized);
    }
    PasswordHash stored =
        PasswordHash.parse(hash)
            .orElseThrow(() -> new IllegalStateException("a stored hash has an unknown form"));
    return hasher.matches(normalized, stored);
  }

  /// Forgets the failed attempts of this client, and remembers its device.
  public void accepted(String subject, Caller caller) {
    if (limited) {
      delays.succeeded(subject, caller).await();
    }
  }

  /// Runs work that hashes passwords, with a limited number of concurrent calls. Fails with
  /// ServiceUnavailable when there are too many.
  public <T> Future<T> run(Supplier<T> work) {
    return bulkhead.run(work);
  }
}
