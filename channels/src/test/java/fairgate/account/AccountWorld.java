package fairgate.account;

import fairgate.SaleWorld;
import fairgate.TestEngines;
import fairgate.account.AccountConfig.Hashing;
import fairgate.account.AccountConfig.SessionLife;
import fairgate.account.LoginDelays.AttemptScript;
import fairgate.account.LoginDelays.PasswordAcceptedScript;
import fairgate.account.RedisBudgets.BudgetScript;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.TestDatabase;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.run.LocalBudgets;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Accounts on real engines, with hashes that cost little and a clock that the test moves.
public final class AccountWorld implements AutoCloseable {
  /// Argon2id's least memory: what is tested does not depend on how dear a hash is.
  static final Hashing CHEAP = new Hashing(16, 1, 2);

  private static final Vertx VERTX = Vertx.vertx();
  private static final KeyRing KEYS = new KeyRing("k", Map.of("k", new byte[32]));
  private static final Ids IDS = new RandomIds();

  private final RedisClient redis = SaleWorld.connect();
  private final PostgresDatabase database = open();
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-11-11T12:00:00Z"));
  private final PasswordHasher hasher = new PasswordHasher(CHEAP, new SecureRandom());
  private final LocalBudgets local = new LocalBudgets(System::nanoTime);

  private static PostgresDatabase open() {
    PostgresAddress at = TestEngines.shared().freshDatabase();
    return TestDatabase.open(VERTX, at, 4);
  }

  /// Nobody's name yet.
  static String name() {
    return "u" + UUID.randomUUID().toString().substring(0, 12);
  }

  /// A caller from an address, with or without a device.
  static Caller caller(String address, @Nullable DeviceId device) {
    return new Caller(
        Objects.requireNonNull(ClientAddress.parse(address)), "JUnit", device, null, null);
  }

  public RedisClient redis() {
    return redis;
  }

  public PostgresDatabase database() {
    return database;
  }

  public KeyRing keys() {
    return KEYS;
  }

  PasswordHasher hasher() {
    return hasher;
  }

  public Clock clock() {
    return new Clock() {
      @Override
      public ZoneId getZone() {
        return ZoneOffset.UTC;
      }

      @Override
      public Clock withZone(ZoneId zone) {
        return this;
      }

      @Override
      public Instant instant() {
        return now.get();
      }
    };
  }

  /// Random nonces.
  public static Ids randomIds() {
    return IDS;
  }

  public Ids ids() {
    return IDS;
  }

  void pass(Duration time) {
    now.updateAndGet(at -> at.plus(time));
  }

  public Budgets budgets() {
    return new RedisBudgets(new BudgetScript(redis, IDS), local);
  }

  Sessions sessions() {
    return new Sessions(
        redis,
        new PostgresSessions(database, Duration.ofDays(7)),
        new SessionToken(KEYS, AccountFeature.SESSION_PURPOSE, new SecureRandom()),
        new SessionLife(Duration.ofDays(7), Duration.ofDays(30), 3),
        clock());
  }

  /// The accounts, with room for so many logins at once.
  AccountService service(PasswordHasher with, int places) {
    return new AccountService(
        stores(),
        check(with),
        with,
        new Bulkhead("test", places, Duration.ofSeconds(2)),
        IDS,
        clock());
  }

  private AccountService.AccountStores stores() {
    return new AccountService.AccountStores(
        new PostgresAccounts(database, KEYS),
        sessions(),
        new LoginDelays(new AttemptScript(redis), new PasswordAcceptedScript(redis), local, KEYS),
        new Arrivals());
  }

  private PasswordCheck check(PasswordHasher with) {
    return new PasswordCheck(stores().accounts(), stores().delays(), with, true);
  }

  public CredentialService credentials() {
    return new CredentialService(
        stores(),
        check(hasher),
        hasher,
        new Bulkhead("credentials", 16, Duration.ofSeconds(2)),
        clock());
  }

  AccountService service() {
    return service(hasher, 16);
  }

  /// The id of a new account.
  public String account() {
    String name = name();
    return switch (service().register(name, "correct horse 9").await()) {
      case AccountService.RegisterOutcome.Registered(Account account) -> account.id();
      case AccountService.RegisterOutcome other -> throw new AssertionError(other);
    };
  }

  @Override
  public void close() {
    hasher.close();
    database.close();
    redis.close();
  }

  /// Nonces only.
  static final class RandomIds implements Ids {
    @Override
    public SessionId session() {
      throw new UnsupportedOperationException();
    }

    @Override
    public OrderId order(ProductId product) {
      throw new UnsupportedOperationException();
    }

    @Override
    public DeviceId device() {
      throw new UnsupportedOperationException();
    }

    @Override
    public String nonce() {
      return UUID.randomUUID().toString().replace("-", "").substring(0, 22);
    }
  }
}
