package fairgate.account;

import fairgate.account.AccountService.AccountStores;
import fairgate.account.PasswordCheck.Result;
import fairgate.account.PostgresAccounts.Stored;
import fairgate.kernel.Caller;
import fairgate.kernel.SignedIn;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;

/// Changing and resetting passwords, and deleting accounts. Futures complete off the event loop and
/// fail with ServiceUnavailable where too much is under way.
public final class CredentialService {
  /// How long the reset token of an operator is good.
  public static final Duration RESET_LIFE = Duration.ofHours(24);

  /// How long the name of a deleted account stays reserved.
  static final Duration NAME_KEPT = Duration.ofDays(365);

  private static final int TOKEN_BYTES = 32;

  private final AccountStores stores;
  private final PasswordCheck check;
  private final PasswordHasher hasher;
  private final Bulkhead bulkhead;
  private final Clock clock;
  private final PasswordRules rules = new PasswordRules();
  private final SecureRandom random = new SecureRandom();
  private final List<Consumer<String>> deletions = new CopyOnWriteArrayList<>();

  CredentialService(
      AccountStores stores,
      PasswordCheck check,
      PasswordHasher hasher,
      Bulkhead bulkhead,
      Clock clock) {
    this.stores = stores;
    this.check = check;
    this.hasher = hasher;
    this.bulkhead = bulkhead;
    this.clock = clock;
  }

  /// A token that sets a new password once.
  public record Reset(String token, Instant expiresAt) {}

  /// Sets the listener for accounts that are deleted on this node, called after their sessions have
  /// ended. It may block. If it throws, the account is kept, and a repeat of the deletion calls it
  /// again.
  public void onDeleted(Consumer<String> listener) {
    deletions.add(listener);
  }

  /// Whether the account can sign in with a password; an account that a provider or a passkey made
  /// has none at first.
  public Future<Boolean> hasPassword(String account) {
    return stores
        .accounts()
        .storedById(account)
        .map(found -> found.filter(stored -> !stored.password().isEmpty()).isPresent());
  }

  /// Sets a new password and ends every other session of the account. A wrong current password
  /// counts as a failed login.
  ///
  /// @param current any text for an account without a password
  public Future<Outcome> change(SignedIn who, String current, String newPassword, Caller caller) {
    String next = PasswordRules.normalized(newPassword);
    return bulkhead.run(
        () ->
            mayChange(
                who,
                current,
                caller,
                stored -> {
                  Optional<String> problem = rules.problemOf(next, nameKey(stored));
                  if (problem.isPresent()) {
                    return new Outcome.PasswordRefused(problem.get());
                  }
                  return stores.accounts().replace(stored, hasher.hash(next).text())
                      ? new Outcome.Done(
                          stores.sessions().revokeOthers(who.account(), who.session()))
                      : new Outcome.WrongPassword();
                }));
  }

  /// Deletes the account with its sessions and identities, and ends its places and links. Its
  /// orders stay, without a name; its name stays taken for [#NAME_KEPT].
  public Future<Outcome> delete(SignedIn who, String password, Caller caller) {
    return bulkhead.run(() -> proven(who, password, caller, this::erase));
  }

  /// Makes a reset token for the account of this name; an earlier one is no longer good. Empty when
  /// there is no such account. Blocks.
  public Optional<Reset> makeReset(String username) {
    Stored stored = stores.accounts().byName(Username.keyOf(username)).await().orElse(null);
    if (stored == null) {
      return Optional.empty();
    }
    return Optional.of(makeReset(stored.account(), RESET_LIFE));
  }

  /// Makes a reset token for the account of this id. Empty when there is no such account. Blocks.
  public Optional<Reset> makeResetOf(String account, Duration life) {
    return stores.accounts().byId(account).await().map(found -> makeReset(found, life));
  }

  private Reset makeReset(Account account, Duration life) {
    byte[] bytes = new byte[TOKEN_BYTES];
    random.nextBytes(bytes);
    String token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    Instant end = clock.instant().plus(life);
    stores.accounts().putReset(account.id(), SessionToken.hash(token), end).await();
    return new Reset(token, end);
  }

  /// Sets a new password by a reset token and ends every session of the account. A password that is
  /// refused does not use the token up.
  public Future<Outcome> reset(String token, String newPassword) {
    String next = PasswordRules.normalized(newPassword);
    return bulkhead.run(
        () -> {
          String hash = SessionToken.hash(token);
          Stored stored = stores.accounts().byReset(hash, clock.instant()).await().orElse(null);
          if (stored == null) {
            return new Outcome.TokenRefused();
          }
          Optional<String> problem = rules.problemOf(next, nameKey(stored));
          if (problem.isPresent()) {
            return new Outcome.PasswordRefused(problem.get());
          }
          String account = stored.account().id();
          String password = hasher.hash(next).text();
          return stores.accounts().reset(account, hash, password, clock.instant())
              ? new Outcome.Done(stores.sessions().revokeAll(account))
              : new Outcome.TokenRefused();
        });
  }

  /// Deletes the account of this name, as its owner could; false when there is none. Blocks.
  public boolean deleteByName(String username) {
    Stored stored = stores.accounts().byName(Username.keyOf(username)).await().orElse(null);
    return stored != null && erase(stored) instanceof Outcome.Done;
  }

  /// Runs the step for the owner of the current password; at once when the account has none.
  private Outcome mayChange(
      SignedIn who, String current, Caller caller, Function<Stored, Outcome> step) {
    Stored stored = stores.accounts().storedById(who.account()).await().orElse(null);
    return stored != null && stored.password().isEmpty()
        ? step.apply(stored)
        : proven(who, current, caller, step);
  }

  private Outcome proven(
      SignedIn who, String password, Caller caller, Function<Stored, Outcome> step) {
    Account account = stores.accounts().byId(who.account()).await().orElse(null);
    if (account == null) {
      return new Outcome.Gone();
    }
    String normalized = PasswordRules.normalized(password);
    return switch (check.check(Username.keyOf(account.username()), normalized, caller)) {
      case Result.Correct(Stored stored) -> step.apply(stored);
      case Result.Wrong() -> new Outcome.WrongPassword();
      case Result.TooMany(Duration retryAfter) -> new Outcome.TooMany(retryAfter);
    };
  }

  private Outcome erase(Stored stored) {
    String account = stored.account().id();
    // First in Redis, which would go on knowing them.
    int sessions = stores.sessions().revokeAll(account);
    Instant kept = clock.instant().plus(NAME_KEPT);
    deletions.forEach(listener -> listener.accept(account));
    if (!stores.accounts().delete(stored.account(), kept)) {
      return new Outcome.Gone();
    }
    stores.delays().forget(nameKey(stored)).await();
    return new Outcome.Done(sessions);
  }

  private static String nameKey(Stored stored) {
    return Username.keyOf(stored.account().username());
  }

  /// The result of changing a password or deleting an account.
  public sealed interface Outcome {
    /// Done.
    ///
    /// @param sessions how many were ended
    record Done(int sessions) implements Outcome {}

    record WrongPassword() implements Outcome {}

    /// Too many wrong tries: the caller may try again after so long.
    record TooMany(Duration retryAfter) implements Outcome {}

    /// The new password is not to be had.
    ///
    /// @param problem the rest of a message key after `invalid.`
    record PasswordRefused(String problem) implements Outcome {}

    /// The reset token is none, has expired or was used.
    record TokenRefused() implements Outcome {}

    record Gone() implements Outcome {}
  }
}
