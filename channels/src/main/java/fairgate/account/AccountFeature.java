package fairgate.account;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import fairgate.account.AccountRoutes.AccountMeters;
import fairgate.account.LoginDelays.AttemptScript;
import fairgate.account.LoginDelays.PasswordAcceptedScript;
import fairgate.account.RedisBudgets.BudgetScript;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.SignedIn;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.run.LocalBudgets;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Wires accounts: routes for `app`, and the signed-in account for other features.
public final class AccountFeature implements AutoCloseable {
  static final String SESSION_PURPOSE = "account-session";

  private static final Duration COME_BACK = Duration.ofSeconds(2);

  private final AccountService service;
  private final CredentialService credentials;
  private final SignIn signIn;
  private final PasswordHasher hasher;
  private final Budgets budgets;
  private final List<Route> routes;
  private final PostgresAccounts accounts;
  private final SignInMethods methods;
  private final RecentAccounts recent;
  private final Passwords passwords;
  private final Arrivals arrivals = new Arrivals();
  private volatile BiConsumer<String, ClientAddress> onRegistered = (_, _) -> {};

  private AccountFeature(AccountConfig config, Dependencies parts) {
    SecureRandom random = new SecureRandom();
    LocalBudgets local = new LocalBudgets(System::nanoTime);
    this.budgets =
        config.limited()
            ? new RedisBudgets(new BudgetScript(parts.redis(), parts.ids()), local)
            : Budgets.UNLIMITED;
    this.hasher = new PasswordHasher(config.hashing(), random);
    Bulkhead bulkhead = new Bulkhead("logins", config.places(), COME_BACK);
    Sessions sessions =
        new Sessions(
            parts.redis(),
            new PostgresSessions(parts.postgres(), config.session().idle()),
            new SessionToken(parts.keys(), SESSION_PURPOSE, random),
            config.session(),
            parts.clock());
    LoginDelays delays =
        new LoginDelays(
            new AttemptScript(parts.redis()),
            new PasswordAcceptedScript(parts.redis()),
            local,
            parts.keys());
    this.accounts = new PostgresAccounts(parts.postgres(), parts.keys());
    var stores = new AccountService.AccountStores(accounts, sessions, delays, arrivals);
    PasswordCheck check = new PasswordCheck(accounts, delays, hasher, config.limited());
    this.service = new AccountService(stores, check, hasher, bulkhead, parts.ids(), parts.clock());
    this.recent =
        new RecentAccounts(
            SessionCookie::token, sessions::isOurs, service::signedIn, Ticker.systemTicker());
    this.credentials = new CredentialService(stores, check, hasher, bulkhead, parts.clock());
    this.passwords = new Passwords(hasher, delays, bulkhead, config.limited());
    this.signIn = new SignIn(service);
    this.methods =
        new SignInMethods(
            parts.postgres(), sessions, arrivals, config.usable(), parts.ids(), parts.clock());
    AccountMeters meters = new AccountMeters(parts.metrics(), bulkhead, hasher);
    this.routes =
        Stream.concat(
                new AccountRoutes(
                        service,
                        signIn,
                        meters,
                        parts.clock(),
                        (account, address) -> onRegistered.accept(account, address))
                    .routes().stream(),
                new CredentialRoutes(service, credentials).routes().stream())
            .toList();
  }

  public record Dependencies(
      RedisClient redis,
      PostgresDatabase postgres,
      KeyRing keys,
      Ids ids,
      Clock clock,
      Metrics metrics) {}

  public static AccountFeature wire(AccountConfig config, Dependencies parts) {
    return new AccountFeature(config, parts);
  }

  public AccountService service() {
    return service;
  }

  public CredentialService credentials() {
    return credentials;
  }

  /// For routes that are for accounts only.
  public SignIn signIn() {
    return signIn;
  }

  /// Ways to sign in besides a password.
  public SignInMethods methods() {
    return methods;
  }

  /// Adds a listener for sign-ins by any way: it gets the account and the caller, before the caller
  /// gets the session's token. It may block. Its failure does not prevent the sign-in.
  public void onSignedIn(BiConsumer<String, Caller> listener) {
    arrivals.add(listener);
  }

  /// Sets the listener for accounts registered with a password: it gets the account and the
  /// address. It must not block.
  public void onRegistered(BiConsumer<String, ClientAddress> listener) {
    onRegistered = listener;
  }

  /// The budgets, for neighbours with something dear of their own.
  public Budgets budgets() {
    return budgets;
  }

  /// The password mechanism, for people who are not accounts.
  public Passwords passwords() {
    return passwords;
  }

  /// The id of the account that makes the request; empty for a guest.
  public Future<Optional<String>> accountOf(Request request) {
    return service.signedIn(request).map(found -> found.map(SignedIn::account));
  }

  /// The id of the account by which a request counts in limits; empty for a guest. It may be a
  /// minute old, so it permits nothing. Complete when it needs no lookup; at most one lookup a
  /// minute and session, if they do not come at once.
  public Future<Optional<String>> recentAccountOf(Request request) {
    return recent.of(request);
  }

  public List<Route> routes() {
    return routes;
  }

  /// Its part of the admin API.
  public List<Route> adminRoutes(AdminGuard admin) {
    return new AccountAdmin(credentials).routes(admin);
  }

  /// Judges the names of accounts older than the rule on names that look alike. Blocks.
  public void start() {
    accounts.judge();
  }

  @Override
  public void close() {
    hasher.close();
  }

  /// The accounts of the sessions seen lately, for counting requests. A session that has ended may
  /// be known for a minute more, so this must never permit anything.
  ///
  /// Only tokens that this server made are remembered, those of ended sessions too: neither a
  /// made-up nor an ended token costs a read from Redis per request, and made-up ones take no
  /// memory.
  static final class RecentAccounts {
    private static final int MOST = 100_000;
    private static final Duration REMEMBERED = Duration.ofMinutes(1);
    private static final Future<Optional<String>> GUEST = Future.succeededFuture(Optional.empty());

    private final Function<Request, @Nullable String> tokenOf;
    private final Predicate<String> isOurs;
    private final Function<Request, Future<Optional<SignedIn>>> find;
    private final Cache<String, Future<Optional<String>>> byHash;

    /// @param tokenOf the token of a request
    /// @param isOurs whether this server made a token
    /// @param find looks up the account of a request
    RecentAccounts(
        Function<Request, @Nullable String> tokenOf,
        Predicate<String> isOurs,
        Function<Request, Future<Optional<SignedIn>>> find,
        Ticker ticker) {
      this.tokenOf = tokenOf;
      this.isOurs = isOurs;
      this.find = find;
      this.byHash =
          Caffeine.newBuilder()
              .maximumSize(MOST)
              .expireAfterWrite(REMEMBERED)
              .ticker(ticker)
              .build();
    }

    /// The id of the account of a request, or a minute ago; empty for a guest. Complete when it
    /// needs no lookup. Fails if the session cannot be checked; a failure is not remembered.
    Future<Optional<String>> of(Request request) {
      String token = tokenOf.apply(request);
      if (token == null || !isOurs.test(token)) {
        return GUEST;
      }
      String hash = SessionToken.hash(token);
      Future<Optional<String>> known = byHash.getIfPresent(hash);
      return known != null ? known : find.apply(request).map(found -> remember(hash, found));
    }

    private Optional<String> remember(String hash, Optional<SignedIn> found) {
      Optional<String> account = found.map(SignedIn::account);
      byHash.put(hash, Future.succeededFuture(account));
      return account;
    }
  }
}
