package fairgate.account;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.account.PasswordCheck.Result;
import fairgate.account.PostgresAccounts.Stored;
import fairgate.kernel.Caller;
import fairgate.kernel.Ids;
import fairgate.kernel.SignedIn;
import fairgate.platform.http.Request;
import fairgate.platform.postgres.PostgresRefusal;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Registration, login, logout, and the account of a request. Futures complete off the event loop
/// unless their method says otherwise; methods block only if they say so.
public final class AccountService {
  private final AccountStores stores;
  private final PasswordCheck check;
  private final PasswordHasher hasher;
  private final PasswordRules rules = new PasswordRules();
  private final Bulkhead bulkhead;
  private final Ids ids;
  private final Clock clock;

  record AccountStores(
      PostgresAccounts accounts, Sessions sessions, LoginDelays delays, Arrivals arrivals) {}

  AccountService(
      AccountStores stores,
      PasswordCheck check,
      PasswordHasher hasher,
      Bulkhead bulkhead,
      Ids ids,
      Clock clock) {
    this.stores = stores;
    this.check = check;
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
      return Future.succeededFuture(new RegisterOutcome.NameRefused("username"));
    }
    Optional<String> nameProblem = UsernameRules.problem(name.get());
    if (nameProblem.isPresent()) {
      return Future.succeededFuture(new RegisterOutcome.NameRefused(nameProblem.get()));
    }
    String normalized = PasswordRules.normalized(password);
    Optional<String> problem = rules.problemOf(normalized, name.get().key());
    if (problem.isPresent()) {
      return Future.succeededFuture(new RegisterOutcome.PasswordRefused(problem.get()));
    }
    return bulkhead.run(() -> add(name.get(), normalized));
  }

  /// Signs in. Known and unknown names cost the same and get the same replies: every attempt that
  /// no limit refuses computes one hash. Fails with ServiceUnavailable if too many attempts run.
  ///
  /// @param caller its address and device determine its limits; its `User-Agent` appears in the
  ///   list of sessions
  public Future<LoginOutcome> login(String username, String password, Caller caller) {
    String normalized = PasswordRules.normalized(password);
    String nameKey = Username.keyOf(username);
    return bulkhead.run(() -> enter(nameKey, normalized, caller));
  }

  /// The signed-in account of a request; empty for a guest, and for an invalid or expired token.
  /// Completes on the caller's event loop. Without a token there is no I/O, otherwise one read from
  /// Redis per request, even if called repeatedly. Fails if the token cannot be checked.
  public Future<Optional<SignedIn>> signedIn(Request request) {
    return request.signedIn(this::read);
  }

  private Future<Optional<SignedIn>> read(Request request) {
    String token = SessionCookie.token(request);
    return token == null ? Future.succeededFuture(Optional.empty()) : stores.sessions().find(token);
  }

  public Future<Optional<Account>> find(String id) {
    return stores.accounts().byId(id);
  }

  /// The sessions of an account, the newest first.
  public Future<List<Session>> sessions(SignedIn who) {
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
    return switch (stores.accounts().add(account, name, hash)) {
      case DONE -> new RegisterOutcome.Registered(account);
      case TAKEN -> new RegisterOutcome.NameTaken();
      case ALIKE -> new RegisterOutcome.NameRefused("username_alike");
    };
  }

  private LoginOutcome enter(String nameKey, String password, Caller caller) {
    return switch (check.check(nameKey, password, caller)) {
      case Result.Wrong() -> new LoginOutcome.Refused();
      case Result.TooMany(Duration retryAfter) -> new LoginOutcome.TooMany(retryAfter);
      case Result.Correct(Stored stored) -> opened(nameKey, stored, caller);
    };
  }

  /// Whoever changes the password meanwhile ends all sessions: this one too, if it came too late to
  /// be seen there.
  private LoginOutcome opened(String nameKey, Stored stored, Caller caller) {
    String account = stored.account().id();
    String session = ids.nonce();
    Sessions.Opened opened;
    try {
      opened = stores.sessions().open(account, session, caller.userAgent());
    } catch (PostgresRefusal gone) {
      // The account was deleted: a session belongs to one.
      return new LoginOutcome.Refused();
    }
    String now = stores.accounts().byName(nameKey).await().map(Stored::password).orElse("");
    if (!now.equals(stored.password())) {
      stores.sessions().drop(account, session, opened.token());
      return new LoginOutcome.Refused();
    }
    stores.arrivals().tell(account, caller);
    return new LoginOutcome.Granted(stored.account(), opened.token(), opened.expiresAt());
  }

  public sealed interface LoginOutcome {
    /// Signed in.
    ///
    /// @param token returned only here; it authenticates the account
    record Granted(Account account, String token, Instant expiresAt) implements LoginOutcome {}

    /// Unknown account or wrong password; replies do not distinguish them.
    record Refused() implements LoginOutcome {}

    /// Too many failed attempts at this name; further ones are refused for this time.
    record TooMany(Duration retryAfter) implements LoginOutcome {}
  }

  public sealed interface RegisterOutcome {
    record Registered(Account account) implements RegisterOutcome {}

    /// Another account has this name, or one that looks alike.
    record NameTaken() implements RegisterOutcome {}

    /// The name is invalid or reserved.
    ///
    /// @param problem the rest of a message key after `invalid.`
    record NameRefused(String problem) implements RegisterOutcome {}

    /// The password is not to be had.
    ///
    /// @param problem the rest of a message key after `invalid.`
    record PasswordRefused(String problem) implements RegisterOutcome {}
  }

  /// One place where an account is signed in.
  ///
  /// @param id names it among its owner's sessions; of no use to anybody else
  /// @param agent the `User-Agent` that signed in, shortened
  /// @param seenAt rounded down to about an hour
  public record Session(
      String id, String agent, Instant createdAt, Instant seenAt, Instant expiresAt) {}
}
