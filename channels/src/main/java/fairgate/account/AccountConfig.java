package fairgate.account;

import java.time.Duration;

/// The settings of accounts.
///
/// @param hashing cost of a password hash
/// @param places concurrent logins and registrations on this node, waiting ones included; further
///   ones are refused with a retry time
/// @param session lifetime of sessions
/// @param limited whether password attempts are delayed and one-time codes limited; the number of
///   calls per address is limited by `limit.login` and `limit.register`
/// @param usable ways to sign in besides a password
public record AccountConfig(
    Hashing hashing,
    int places,
    SessionLife session,
    boolean limited,
    SignInMethods.Usable usable) {

  /// Argon2id's parameters.
  ///
  /// @param memoryKib memory of one hash in KiB
  /// @param threads hashes computed at once on this node
  public record Hashing(int memoryKib, int iterations, int threads) {}

  /// How long signing in lasts.
  ///
  /// @param idle without any use
  /// @param absolute however much it is used
  /// @param mostPerAccount sessions of one account; the oldest makes room
  public record SessionLife(Duration idle, Duration absolute, int mostPerAccount) {}

  /// OWASP's least for Argon2id (19 MiB, two passes), on half of the processors.
  public static AccountConfig defaults() {
    int processors = Runtime.getRuntime().availableProcessors();
    return new AccountConfig(
        new Hashing(19_456, 2, Math.max(1, processors / 2)),
        64,
        new SessionLife(Duration.ofDays(7), Duration.ofDays(30), 20),
        true,
        SignInMethods.Usable.NONE);
  }

  public AccountConfig withLimits(boolean on) {
    return new AccountConfig(hashing, places, session, on, usable);
  }

  public AccountConfig withHashing(Hashing other) {
    return new AccountConfig(other, places, session, limited, usable);
  }

  public AccountConfig withUsable(SignInMethods.Usable ways) {
    return new AccountConfig(hashing, places, session, limited, ways);
  }
}
