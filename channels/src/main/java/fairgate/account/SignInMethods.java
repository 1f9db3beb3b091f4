package fairgate.account;

import fairgate.account.AccountService.LoginOutcome;
import fairgate.kernel.Caller;
import fairgate.kernel.Ids;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresRefusal;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;

/// The ways to sign in to an account besides a password. Every account keeps at least one way. All
/// methods block.
public final class SignInMethods {
  /// Accounts that sign in elsewhere first get a random name: a name of the other service could
  /// impersonate somebody here. The letters do not look like each other.
  private static final String NAME_LETTERS = "23456789abcdefghjkmpqstwxyz";

  private static final String NAME_PREFIX = "user-";
  private static final int NAME_LENGTH = 10;

  private final PostgresSignInMethods methods;
  private final Sessions sessions;
  private final Arrivals arrivals;
  private final Usable usable;
  private final Ids ids;
  private final Clock clock;
  private final SecureRandom random = new SecureRandom();

  SignInMethods(
      PostgresDatabase database,
      Sessions sessions,
      Arrivals arrivals,
      Usable usable,
      Ids ids,
      Clock clock) {
    this.arrivals = arrivals;
    this.methods = new PostgresSignInMethods(database);
    this.sessions = sessions;
    this.usable = usable;
    this.ids = ids;
    this.clock = clock;
  }

  /// The ways that the settings allow now.
  ///
  /// @param providers names of OpenID Connect providers
  public record Usable(Set<String> providers, boolean passkeys) {
    public static final Usable NONE = new Usable(Set.of(), false);

    public Usable {
      providers = Set.copyOf(providers);
    }
  }

  public enum Removal {
    REMOVED,
    /// It would have been the last usable one. Nothing was changed.
    LAST,
    UNKNOWN
  }

  /// Opens a session of an account that has proven itself; empty when the account is gone.
  public Optional<LoginOutcome.Granted> open(Account account, Caller caller) {
    try {
      Sessions.Opened opened = sessions.open(account.id(), ids.nonce(), caller.userAgent());
      arrivals.tell(account.id(), caller);
      return Optional.of(new LoginOutcome.Granted(account, opened.token(), opened.expiresAt()));
    } catch (PostgresRefusal _) {
      return Optional.empty();
    }
  }

  /// Adds an account without a password. The caller adds its way to sign in within the same
  /// transaction.
  public Account create(Db db) {
    Username name = Username.of(randomName()).orElseThrow();
    Account account = new Account(Account.PREFIX + ids.nonce(), name.shown(), clock.instant());
    PostgresSignInMethods.insert(db, account, name);
    return account;
  }

  /// Removes a way to sign in, unless it is the last one. Ways that the settings no longer allow do
  /// not count.
  ///
  /// @param delete deletes the way and returns the number of deleted rows
  public Removal remove(String account, ToIntFunction<Db> delete) {
    return methods.remove(account, usable, delete);
  }

  private String randomName() {
    StringBuilder name = new StringBuilder(NAME_PREFIX);
    for (int i = 0; i < NAME_LENGTH; i++) {
      name.append(NAME_LETTERS.charAt(random.nextInt(NAME_LETTERS.length())));
    }
    return name.toString();
  }
}
