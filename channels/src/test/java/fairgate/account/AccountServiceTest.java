package fairgate.account;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.Caller;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Registering and signing in, on real engines.
@Tag("slow")
final class AccountServiceTest {
  private static final String PASSWORD = "correct horse 9";
  private static final String FLAT = "192.0.2.1";

  @SuppressWarnings("NullAway.Init")
  private static AccountWorld world;

  private final AccountService service = world.service();
  private final String name = AccountWorld.name();

  @BeforeAll
  static void open() {
    world = new AccountWorld();
  }

  @AfterAll
  static void close() {
    world.close();
  }

  private AccountService.RegisterOutcome register(String as) {
    return service.register(as, PASSWORD).await();
  }

  private AccountService.LoginOutcome login(String as, String password) {
    return service.login(as, password, AccountWorld.caller(FLAT, null)).await();
  }

  private static AccountService.LoginOutcome.Granted granted(AccountService.LoginOutcome outcome) {
    assertThat(outcome).isInstanceOf(AccountService.LoginOutcome.Granted.class);
    return (AccountService.LoginOutcome.Granted) outcome;
  }

  @Test
  void whoRegistersMaySignIn() {
    assertThat(register(name)).isInstanceOf(AccountService.RegisterOutcome.Registered.class);
    AccountService.LoginOutcome.Granted granted = granted(login(name, PASSWORD));
    assertThat(granted.account().username()).isEqualTo(name);
    assertThat(world.sessions().find(granted.token()).await())
        .hasValueSatisfying(who -> assertThat(who.account()).isEqualTo(granted.account().id()));
    assertThat(login(name, PASSWORD + "!")).isEqualTo(new AccountService.LoginOutcome.Refused());
  }

  @Test
  void aNameIsGivenOnceHoweverItIsWritten() {
    assertThat(register(name)).isInstanceOf(AccountService.RegisterOutcome.Registered.class);
    assertThat(register(name.toUpperCase(java.util.Locale.ROOT)))
        .isEqualTo(new AccountService.RegisterOutcome.NameTaken());
    assertThat(
            granted(login(name.toUpperCase(java.util.Locale.ROOT), PASSWORD)).account().username())
        .isEqualTo(name);
  }

  @Test
  void oneOfManyAtOnceGetsTheName() {
    List<Future<AccountService.RegisterOutcome>> all =
        IntStream.range(0, 8).mapToObj(_ -> service.register(name, PASSWORD)).toList();
    List<AccountService.RegisterOutcome> outcomes = all.stream().map(call -> call.await()).toList();
    assertThat(outcomes)
        .filteredOn(AccountService.RegisterOutcome.Registered.class::isInstance)
        .hasSize(1);
    assertThat(outcomes)
        .filteredOn(AccountService.RegisterOutcome.NameTaken.class::isInstance)
        .hasSize(7);
  }

  @Test
  void aNameThatLooksLikeSomebodysIsRefused() {
    String id = java.util.UUID.randomUUID().toString().substring(0, 8);
    assertThat(register("Kil-" + id)).isInstanceOf(AccountService.RegisterOutcome.Registered.class);
    for (String alike : List.of("KlI-", "k1l-", "kii-")) {
      assertThat(register(alike + id))
          .as(alike)
          .isEqualTo(new AccountService.RegisterOutcome.NameRefused("username_alike"));
    }
    assertThat(register("Kim-" + id)).isInstanceOf(AccountService.RegisterOutcome.Registered.class);
  }

  @Test
  void oneOfManyThatLookAlikeGetsTheName() {
    String id = java.util.UUID.randomUUID().toString().substring(0, 8);
    List<Future<AccountService.RegisterOutcome>> all =
        Stream.of("iill", "l1il", "1ili", "llll", "IIII", "1111")
            .map(form -> service.register("u" + form + id, PASSWORD))
            .toList();
    List<AccountService.RegisterOutcome> outcomes = all.stream().map(call -> call.await()).toList();
    assertThat(outcomes)
        .filteredOn(AccountService.RegisterOutcome.Registered.class::isInstance)
        .hasSize(1);
    assertThat(outcomes)
        .filteredOn(new AccountService.RegisterOutcome.NameRefused("username_alike")::equals)
        .hasSize(5);
  }

  @Test
  void namesOlderThanTheRuleStayAndKeepOthersAway() {
    String id = java.util.UUID.randomUUID().toString().substring(0, 8);
    assertThat(register("old1" + id)).isInstanceOf(AccountService.RegisterOutcome.Registered.class);
    for (int i = 0; i < 2; i++) {
      String twin = i == 0 ? "oldl" + id : "o1d1" + id;
      world
          .database()
          .query("UPDATE accounts SET look = NULL WHERE name_key LIKE '%' || $1", id)
          .await();
      var _ =
          world
              .database()
              .query(
                  "INSERT INTO accounts (id, username, name_key, password, created_at) SELECT"
                      + " 'acc_' || left(md5($1), 22), $1, $1, password, created_at FROM accounts"
                      + " WHERE name_key LIKE '%' || $2 LIMIT 1",
                  twin, id)
              .await();
    }
    PostgresAccounts accounts = new PostgresAccounts(world.database(), world.keys());
    accounts.judge();
    accounts.judge();
    long judged =
        world
            .database()
            .query("SELECT count(look) FROM accounts WHERE name_key LIKE '%' || $1", id)
            .await()
            .getFirst()
            .getLong(0);
    assertThat(judged).isEqualTo(3);
    assertThat(register("OLDI" + id))
        .isEqualTo(new AccountService.RegisterOutcome.NameRefused("username_alike"));
  }

  /// The same answer, and the same work: what takes the time is the hash, so they are counted.
  @Test
  void unknownNamesAreAnsweredLikeWrongPasswordsAndCostTheSame() {
    assertThat(register(name)).isInstanceOf(AccountService.RegisterOutcome.Registered.class);
    for (String who : List.of(name, AccountWorld.name(), "no name at all!", "🐢")) {
      long before = world.hasher().runs();
      assertThat(login(who, "some other password"))
          .isEqualTo(new AccountService.LoginOutcome.Refused());
      assertThat(world.hasher().runs()).as(who).isEqualTo(before + 1);
    }
  }

  @Test
  void theSamePasswordTypedOnAnotherMachineIsRight() {
    assertThat(service.register(name, "cafe\u0301 au lait").await())
        .isInstanceOf(AccountService.RegisterOutcome.Registered.class);
    assertThat(login(name, "café au lait")).isInstanceOf(AccountService.LoginOutcome.Granted.class);
  }

  @Test
  void badNamesAndPasswordsAreRefusedBeforeAnythingIsSpent() {
    long before = world.hasher().runs();
    assertThat(register("a b"))
        .isEqualTo(new AccountService.RegisterOutcome.NameRefused("username"));
    assertThat(service.register(name, "short").await())
        .isEqualTo(new AccountService.RegisterOutcome.PasswordRefused("password_length"));
    assertThat(service.register(name, "password1").await())
        .isEqualTo(new AccountService.RegisterOutcome.PasswordRefused("password_common"));
    assertThat(service.register("wanderer", "wanderer9").await())
        .isEqualTo(new AccountService.RegisterOutcome.PasswordRefused("password_like_name"));
    assertThat(world.hasher().runs()).isEqualTo(before);
  }

  @Test
  void attemptsOfANetworkAtOneNameSlowDownAlsoWhenThereIsNoSuchAccount() {
    for (String who : List.of(name, AccountWorld.name())) {
      if (who.equals(name)) {
        assertThat(register(name)).isInstanceOf(AccountService.RegisterOutcome.Registered.class);
      }
      for (int i = 0; i <= LoginDelays.DELAYS.free(); i++) {
        assertThat(login(who, "some other password"))
            .isEqualTo(new AccountService.LoginOutcome.Refused());
      }
      assertThat(login(who, PASSWORD))
          .as(who)
          .isInstanceOf(AccountService.LoginOutcome.TooMany.class);
    }
  }

  @Test
  void wrongPasswordsFromOneNetworkDoNotKeepTheOwnerOutOfAnother() {
    assertThat(register(name)).isInstanceOf(AccountService.RegisterOutcome.Registered.class);
    for (int i = 0; i < 12; i++) {
      assertThat(login(name, "some other password"))
          .isNotInstanceOf(AccountService.LoginOutcome.Granted.class);
    }
    assertThat(login(name, PASSWORD)).isInstanceOf(AccountService.LoginOutcome.TooMany.class);
    assertThat(service.login(name, PASSWORD, AccountWorld.caller("198.51.100.7", null)).await())
        .isInstanceOf(AccountService.LoginOutcome.Granted.class);
  }

  @Test
  void aDeviceThatSignedInBeforeIsNotKeptOutByAttemptsFromEverywhere() {
    assertThat(register(name)).isInstanceOf(AccountService.RegisterOutcome.Registered.class);
    Caller owner = AccountWorld.caller(FLAT, new DeviceId("ownerownerownerownerow"));
    assertThat(service.login(name, PASSWORD, owner).await())
        .isInstanceOf(AccountService.LoginOutcome.Granted.class);
    int again = 0;
    for (int i = 0; i < LoginDelays.STRANGERS.max() / 2 + 5; i++) {
      Caller stranger = AccountWorld.caller("2001:db8:%x::1".formatted(i), null);
      assertThat(service.login(name, "some other password", stranger).await())
          .as("a network's first try")
          .isEqualTo(new AccountService.LoginOutcome.Refused());
      if (service.login(name, "some other password", stranger).await()
          instanceof AccountService.LoginOutcome.Refused) {
        again++;
      }
    }
    assertThat(again).as("the strangers share one budget").isEqualTo(50);
    assertThat(login(name, PASSWORD))
        .as("from where nobody tried")
        .isInstanceOf(AccountService.LoginOutcome.Granted.class);
    assertThat(service.login(name, PASSWORD, owner).await())
        .isInstanceOf(AccountService.LoginOutcome.Granted.class);
    for (int i = 0; i <= LoginDelays.DELAYS.free(); i++) {
      assertThat(service.login(name, "some other password", owner).await())
          .isEqualTo(new AccountService.LoginOutcome.Refused());
    }
    assertThat(service.login(name, PASSWORD, owner).await())
        .as("the device has a delay of its own")
        .isInstanceOf(AccountService.LoginOutcome.TooMany.class);
  }

  @Test
  void manyTriesAtOnceAreWorthNoMoreThanOneAfterAnother() {
    assertThat(register(name)).isInstanceOf(AccountService.RegisterOutcome.Registered.class);
    long before = world.hasher().runs();
    List<Future<AccountService.LoginOutcome>> all =
        IntStream.range(0, 16)
            .mapToObj(_ -> service.login(name, "some other password", Caller.NONE))
            .toList();
    List<AccountService.LoginOutcome> outcomes = all.stream().map(call -> call.await()).toList();
    int judged = LoginDelays.DELAYS.free() + 1;
    assertThat(outcomes)
        .filteredOn(AccountService.LoginOutcome.Refused.class::isInstance)
        .hasSize(judged);
    assertThat(world.hasher().runs()).isEqualTo(before + judged);
  }

  @Test
  void signingInForgetsEarlierFailures() {
    assertThat(register(name)).isInstanceOf(AccountService.RegisterOutcome.Registered.class);
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < LoginDelays.DELAYS.free() - 1; i++) {
        assertThat(login(name, "some other password"))
            .isEqualTo(new AccountService.LoginOutcome.Refused());
      }
      assertThat(login(name, PASSWORD)).isInstanceOf(AccountService.LoginOutcome.Granted.class);
    }
  }

  @Test
  void aStormIsTurnedAwayAtTheBulkheadInsteadOfWaiting() {
    AccountService narrow = world.service(world.hasher(), 2);
    List<Future<AccountService.LoginOutcome>> all =
        IntStream.range(0, 200)
            .mapToObj(_ -> narrow.login(AccountWorld.name(), PASSWORD, Caller.NONE))
            .toList();
    long away = 0;
    for (Future<AccountService.LoginOutcome> one : all) {
      try {
        assertThat(one.await()).isEqualTo(new AccountService.LoginOutcome.Refused());
      } catch (ServiceUnavailable e) {
        assertThat(e.retryAfter()).isPositive();
        away++;
      }
    }
    assertThat(away).isPositive();
    assertThat(narrow.login(AccountWorld.name(), PASSWORD, Caller.NONE).await())
        .isEqualTo(new AccountService.LoginOutcome.Refused());
  }

  @Test
  void aHashUnderOlderSettingsIsMadeAnew() {
    assertThat(register(name)).isInstanceOf(AccountService.RegisterOutcome.Registered.class);
    AccountConfig.Hashing dearer = new AccountConfig.Hashing(32, 2, 1);
    try (PasswordHasher hasher = new PasswordHasher(dearer, new SecureRandom())) {
      AccountService newer = world.service(hasher, 4);
      assertThat(newer.login(name, PASSWORD, Caller.NONE).await())
          .isInstanceOf(AccountService.LoginOutcome.Granted.class);
      assertThat(hasher.runs()).isEqualTo(2);
      assertThat(newer.login(name, PASSWORD, Caller.NONE).await())
          .isInstanceOf(AccountService.LoginOutcome.Granted.class);
      assertThat(hasher.runs()).isEqualTo(3);
    }
  }
}
