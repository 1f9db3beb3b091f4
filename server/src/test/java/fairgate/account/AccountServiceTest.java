package fairgate.account;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class AccountServiceTest {
  private static final String PASSWORD = "correct horse 9";

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

  private RegisterOutcome register(String as) {
    return service.register(as, PASSWORD).await();
  }

  private LoginOutcome login(String as, String password) {
    return service.login(as, password, "JUnit").await();
  }

  private static LoginOutcome.Granted granted(LoginOutcome outcome) {
    assertThat(outcome).isInstanceOf(LoginOutcome.Granted.class);
    return (LoginOutcome.Granted) outcome;
  }

  @Test
  void whoRegistersMaySignIn() {
    assertThat(register(name)).isInstanceOf(RegisterOutcome.Registered.class);
    LoginOutcome.Granted granted = granted(login(name, PASSWORD));
    assertThat(granted.account().username()).isEqualTo(name);
    assertThat(world.sessions().find(granted.token()).await())
        .hasValueSatisfying(who -> assertThat(who.account()).isEqualTo(granted.account().id()));
    assertThat(login(name, PASSWORD + "!")).isEqualTo(new LoginOutcome.Refused());
  }

  @Test
  void aNameIsGivenOnceHoweverItIsWritten() {
    assertThat(register(name)).isInstanceOf(RegisterOutcome.Registered.class);
    assertThat(register(name.toUpperCase(java.util.Locale.ROOT)))
        .isEqualTo(new RegisterOutcome.NameTaken());
    assertThat(
            granted(login(name.toUpperCase(java.util.Locale.ROOT), PASSWORD)).account().username())
        .isEqualTo(name);
  }

  @Test
  void oneOfManyAtOnceGetsTheName() {
    List<Future<RegisterOutcome>> all =
        IntStream.range(0, 8).mapToObj(_ -> service.register(name, PASSWORD)).toList();
    List<RegisterOutcome> outcomes = all.stream().map(call -> call.await()).toList();
    assertThat(outcomes).filteredOn(RegisterOutcome.Registered.class::isInstance).hasSize(1);
    assertThat(outcomes).filteredOn(RegisterOutcome.NameTaken.class::isInstance).hasSize(7);
  }

  /// The same answer, and the same work: what takes the time is the hash, so they are counted.
  @Test
  void unknownNamesAreAnsweredLikeWrongPasswordsAndCostTheSame() {
    assertThat(register(name)).isInstanceOf(RegisterOutcome.Registered.class);
    for (String who : List.of(name, AccountWorld.name(), "no name at all!", "🐢")) {
      long before = world.hasher().runs();
      assertThat(login(who, "some other password")).isEqualTo(new LoginOutcome.Refused());
      assertThat(world.hasher().runs()).as(who).isEqualTo(before + 1);
    }
  }

  @Test
  void theSamePasswordTypedOnAnotherMachineIsRight() {
    assertThat(service.register(name, "cafe\u0301 au lait").await())
        .isInstanceOf(RegisterOutcome.Registered.class);
    assertThat(login(name, "café au lait")).isInstanceOf(LoginOutcome.Granted.class);
  }

  @Test
  void badNamesAndPasswordsAreRefusedBeforeAnythingIsSpent() {
    long before = world.hasher().runs();
    assertThat(register("a b")).isEqualTo(new RegisterOutcome.NameRefused());
    assertThat(service.register(name, "short").await())
        .isEqualTo(new RegisterOutcome.PasswordRefused("password_length"));
    assertThat(service.register(name, "password1").await())
        .isEqualTo(new RegisterOutcome.PasswordRefused("password_common"));
    assertThat(service.register("wanderer", "wanderer9").await())
        .isEqualTo(new RegisterOutcome.PasswordRefused("password_like_name"));
    assertThat(world.hasher().runs()).isEqualTo(before);
  }

  @Test
  void triesAtOneNameSlowDownWhereverTheyComeFromAlsoWhenThereIsNoSuchAccount() {
    for (String who : List.of(name, AccountWorld.name())) {
      if (who.equals(name)) {
        assertThat(register(name)).isInstanceOf(RegisterOutcome.Registered.class);
      }
      for (int i = 0; i <= LoginDelays.DELAYS.free(); i++) {
        assertThat(login(who, "some other password")).isEqualTo(new LoginOutcome.Refused());
      }
      assertThat(login(who, PASSWORD)).as(who).isInstanceOf(LoginOutcome.TooMany.class);
    }
  }

  @Test
  void manyTriesAtOnceAreWorthNoMoreThanOneAfterAnother() {
    assertThat(register(name)).isInstanceOf(RegisterOutcome.Registered.class);
    long before = world.hasher().runs();
    List<Future<LoginOutcome>> all =
        IntStream.range(0, 16)
            .mapToObj(_ -> service.login(name, "some other password", ""))
            .toList();
    List<LoginOutcome> outcomes = all.stream().map(call -> call.await()).toList();
    int judged = LoginDelays.DELAYS.free() + 1;
    assertThat(outcomes).filteredOn(LoginOutcome.Refused.class::isInstance).hasSize(judged);
    assertThat(world.hasher().runs()).isEqualTo(before + judged);
  }

  @Test
  void signingInForgetsEarlierFailures() {
    assertThat(register(name)).isInstanceOf(RegisterOutcome.Registered.class);
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < LoginDelays.DELAYS.free() - 1; i++) {
        assertThat(login(name, "some other password")).isEqualTo(new LoginOutcome.Refused());
      }
      assertThat(login(name, PASSWORD)).isInstanceOf(LoginOutcome.Granted.class);
    }
  }

  @Test
  void aStormIsTurnedAwayAtTheBulkheadInsteadOfWaiting() {
    AccountService narrow = world.service(world.hasher(), 2);
    List<Future<LoginOutcome>> all =
        IntStream.range(0, 200)
            .mapToObj(_ -> narrow.login(AccountWorld.name(), PASSWORD, ""))
            .toList();
    long away = 0;
    for (Future<LoginOutcome> one : all) {
      try {
        assertThat(one.await()).isEqualTo(new LoginOutcome.Refused());
      } catch (ServiceUnavailable e) {
        assertThat(e.retryAfter()).isPositive();
        away++;
      }
    }
    assertThat(away).isPositive();
    assertThat(narrow.login(AccountWorld.name(), PASSWORD, "").await())
        .isEqualTo(new LoginOutcome.Refused());
  }

  @Test
  void aHashUnderOlderSettingsIsMadeAnew() {
    assertThat(register(name)).isInstanceOf(RegisterOutcome.Registered.class);
    AccountConfig.Hashing dearer = new AccountConfig.Hashing(32, 2, 1);
    try (PasswordHasher hasher = new PasswordHasher(dearer, new SecureRandom())) {
      AccountService newer = world.service(hasher, 4);
      assertThat(newer.login(name, PASSWORD, "").await()).isInstanceOf(LoginOutcome.Granted.class);
      assertThat(hasher.runs()).isEqualTo(2);
      assertThat(newer.login(name, PASSWORD, "").await()).isInstanceOf(LoginOutcome.Granted.class);
      assertThat(hasher.runs()).isEqualTo(3);
    }
  }
}
