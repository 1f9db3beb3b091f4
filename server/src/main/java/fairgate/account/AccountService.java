package fairgate.account;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.account.PostgresAccounts.Stored;
import fairgate.kernel.Ids;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Registering, signing in and out, and who is signed in. Futures complete off the event loop
/// unless said otherwise; nothing here blocks a caller but what says so.
public final class AccountService {
  private final AccountConfig config;
  private final AccountStores stores;
  private final PasswordHasher hasher;
  private final PasswordRules rules = new PasswordRules();
  private final Bulkhead bulkhead;
  private final Ids ids;
  private final Clock clock;

  /// What accounts are kept in and limited by.
  record AccountStores(PostgresAccounts accounts, Sessions sessions, LoginDelays delays) {}

  AccountService(
      AccountConfig config,
      AccountStores stores,
      PasswordHasher hasher,
      Bulkhead bulkhead,
      Ids ids,
      Clock clock) {
    this.config = config;
    this.stores = stores;
    this.hasher = hasher;
    this.bulkhead = bulkhead;
    this.ids = ids;
    this.clock = clock;
  }

  /// Makes an account. Fails with ServiceUnavailable where too much is under way. How often an
  /// address may ask is decided before, by the limiter.
  public Future<RegisterOutcome> register(String username, String password) {
    Optional<Username> name = Username.of(username);
    if (name.isEmpty()) {
      return Future.succeededFuture(new RegisterOutcome.NameRefused());
    }
    String normalized = PasswordRules.normalized(password);
    Optional<String> problem =
        PasswordRules.isLongEnough(normalized)
            ? rules.problem(normalized, name.get().key())
            : Optional.of("password_length");
    if (problem.isPresent()) {
      return Future.succeededFuture(new RegisterOutcome.PasswordRefused(problem.get()));
    }
    return bulkhead.run(() -> add(name.get(), normalized));
  }

  /// Signs in. Known and unknown names cost the same and are answered the same: every try that is
  /// not turned away by a limit computes one hash. Fails with ServiceUnavailable where too much is
  /// under way.
  ///
  /// @param agent the `User-Agent`, for the list of sessions
  public Future<LoginOutcome> login(String username, String password, String agent) {
    String normalized = PasswordRules.normalized(password);
    // What can be no name is as unknown as any other.
    String nameKey =
        Username.of(username).map(Username::key).orElseGet(() -> username.toLowerCase(Locale.ROOT));
    return bulkhead.run(() -> enter(nameKey, normalized, agent));
  }

  /// Who makes the request; empty for a guest, and for a token that stands for nobody any more.
  /// Completes on the caller's event loop. Without a token it costs nothing, else one look into
  /// Redis. Fails when nobody can tell.
  public Future<Optional<SignedIn>> signedIn(Request request) {
    String token = SessionCookie.token(request);
    return token == null ? Future.succeededFuture(Optional.empty()) : stores.sessions().find(token);
  }

  /// The account of this id.
  public Future<Optional<Account>> find(String id) {
    return stores.accounts().byId(id);
  }

  /// The sessions of an account, the newest first.
  public Future<List<AccountSession>> sessions(SignedIn who) {
    return stores.sessions().list(who.account());
  }

  /// Ends one session of the account, at once and everywhere. Blocks.
  ///
  /// @return whether there was such a session
  @CanIgnoreReturnValue
  public boolean revoke(SignedIn who, String session) {
    return stores.sessions().revoke(who.account(), session);
  }

  /// Ends every other session of the account. Blocks.
  ///
  /// @return how many
  @CanIgnoreReturnValue
  public int revokeOthers(SignedIn who) {
    return stores.sessions().revokeOthers(who.account(), who.session());
  }

  private RegisterOutcome add(Username name, String password) {
    Account account = new Account(Account.PREFIX + ids.nonce(), name.shown(), clock.instant());
    String hash = hasher.hash(password).text();
    return stores.accounts().add(account, name, hash).await()
        ? new RegisterOutcome.Registered(account)
        : new RegisterOutcome.NameTaken();
  }

  private LoginOutcome enter(String nameKey, String password, String agent) {
    if (config.limited()) {
      Duration wait = stores.delays().attempt(nameKey).await();
      if (!wait.isZero()) {
        return new LoginOutcome.TooMany(wait);
      }
    }
    Stored stored = stores.accounts().byName(nameKey).await().orElse(null);
    if (stored == null) {
      var _ = hasher.matchesNobody(password);
      return new LoginOutcome.Refused();
    }
    PasswordHash hash =
        PasswordHash.parse(stored.password())
            .orElseThrow(() -> new IllegalStateException("a stored hash is none"));
    if (!hasher.matches(password, hash)) {
      return new LoginOutcome.Refused();
    }
    if (hasher.outdated(hash)) {
      String newer = hasher.hash(password).text();
      stores.accounts().rehash(stored.account().id(), stored.password(), newer).await();
    }
    if (config.limited()) {
      stores.delays().succeeded(nameKey).await();
    }
    Sessions.Opened opened = stores.sessions().open(stored.account().id(), ids.nonce(), agent);
    return new LoginOutcome.Granted(stored.account(), opened.token(), opened.expiresAt());
  }
}
