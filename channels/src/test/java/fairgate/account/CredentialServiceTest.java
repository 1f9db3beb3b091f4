package fairgate.account;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.Caller;
import fairgate.kernel.SignedIn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Changing and resetting passwords, and deleting accounts, on real engines.
final class CredentialServiceTest {
  private static final String PASSWORD = "correct horse 9";
  private static final String NEXT = "staple of wild horses";
  private static final Caller CALLER = AccountWorld.caller("192.0.2.7", null);

  @SuppressWarnings("NullAway.Init")
  private static AccountWorld world;

  private final AccountService service = world.service();
  private final CredentialService credentials = world.credentials();
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

  private String token() {
    AccountService.LoginOutcome outcome = service.login(name, PASSWORD, CALLER).await();
    assertThat(outcome).isInstanceOf(AccountService.LoginOutcome.Granted.class);
    return ((AccountService.LoginOutcome.Granted) outcome).token();
  }

  private static boolean isSignedIn(String token) {
    return world.sessions().find(token).await().isPresent();
  }

  private static SignedIn who(String token) {
    return world.sessions().find(token).await().orElseThrow();
  }

  private AccountService.LoginOutcome login(String password) {
    return service.login(name, password, CALLER).await();
  }

  @Test
  void anAccountWithoutAPasswordSetsOneOnce() {
    register(name);
    SignedIn who = who(token());
    assertThat(credentials.hasPassword(who.account()).await()).isTrue();
    var _ =
        world
            .database()
            .query("UPDATE accounts SET password = NULL WHERE id = $1", who.account())
            .await();
    assertThat(credentials.hasPassword(who.account()).await()).isFalse();
    assertThat(credentials.change(who, "", "short", CALLER).await())
        .isInstanceOf(CredentialService.Outcome.PasswordRefused.class);
    assertThat(credentials.change(who, "", NEXT, CALLER).await())
        .isEqualTo(new CredentialService.Outcome.Done(0));
    assertThat(login(NEXT)).isInstanceOf(AccountService.LoginOutcome.Granted.class);
    assertThat(credentials.change(who, "", PASSWORD, CALLER).await())
        .isEqualTo(new CredentialService.Outcome.WrongPassword());
  }

  @Test
  void aNewPasswordEndsTheOtherSessionsAndTheOldPassword() {
    var _ = register(name);
    String other = token();
    String mine = token();
    assertThat(credentials.change(who(mine), PASSWORD, NEXT, CALLER).await())
        .isEqualTo(new CredentialService.Outcome.Done(1));
    assertThat(isSignedIn(mine)).isTrue();
    assertThat(isSignedIn(other)).isFalse();
    assertThat(login(PASSWORD)).isEqualTo(new AccountService.LoginOutcome.Refused());
    assertThat(login(NEXT)).isInstanceOf(AccountService.LoginOutcome.Granted.class);
  }

  @Test
  void whoDoesNotKnowThePasswordChangesAndDeletesNothing() {
    var _ = register(name);
    String token = token();
    assertThat(credentials.change(who(token), "wrong horse 9", NEXT, CALLER).await())
        .isEqualTo(new CredentialService.Outcome.WrongPassword());
    assertThat(credentials.change(who(token), PASSWORD, "password1", CALLER).await())
        .isEqualTo(new CredentialService.Outcome.PasswordRefused("password_common"));
    assertThat(credentials.delete(who(token), "wrong horse 9", CALLER).await())
        .isEqualTo(new CredentialService.Outcome.WrongPassword());
    List<CredentialService.Outcome> more = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      more.add(credentials.delete(who(token), "wrong horse 9", CALLER).await());
    }
    assertThat(more.getLast()).isInstanceOf(CredentialService.Outcome.TooMany.class);
    assertThat(isSignedIn(token)).isTrue();
  }

  @Test
  void aResetTokenSetsAPasswordOnceAndEndsAllSessions() {
    var _ = register(name);
    String session = token();
    assertThat(credentials.makeReset("nobody-" + name)).isEmpty();
    String first = credentials.makeReset(name).orElseThrow().token();
    String token = credentials.makeReset(name).orElseThrow().token();
    assertThat(credentials.reset(first, NEXT).await())
        .isEqualTo(new CredentialService.Outcome.TokenRefused());
    assertThat(credentials.reset(token, "short").await())
        .isEqualTo(new CredentialService.Outcome.PasswordRefused("password_length"));
    assertThat(credentials.reset(token, NEXT).await())
        .isEqualTo(new CredentialService.Outcome.Done(1));
    assertThat(credentials.reset(token, NEXT + "!").await())
        .isEqualTo(new CredentialService.Outcome.TokenRefused());
    assertThat(isSignedIn(session)).isFalse();
    assertThat(login(NEXT)).isInstanceOf(AccountService.LoginOutcome.Granted.class);
  }

  @Test
  void aResetTokenExpires() {
    var _ = register(name);
    String token = credentials.makeReset(name).orElseThrow().token();
    world.pass(CredentialService.RESET_LIFE);
    assertThat(credentials.reset(token, NEXT).await())
        .isEqualTo(new CredentialService.Outcome.TokenRefused());
  }

  @Test
  void aDeletedAccountIsGoneAndItsNameStaysTaken() {
    var _ = register(name);
    String session = token();
    SignedIn who = who(session);
    List<String> heard = new ArrayList<>();
    credentials.onDeleted(heard::add);
    assertThat(credentials.delete(who, PASSWORD, CALLER).await())
        .isEqualTo(new CredentialService.Outcome.Done(1));
    assertThat(heard).containsExactly(who.account());
    assertThat(isSignedIn(session)).isFalse();
    assertThat(service.find(who.account()).await()).isEmpty();
    assertThat(login(PASSWORD)).isEqualTo(new AccountService.LoginOutcome.Refused());
    assertThat(register(name)).isEqualTo(new AccountService.RegisterOutcome.NameTaken());
    assertThat(rows("accounts", name)).as("nothing names the person").isZero();
    assertThat(rows("account_names_kept", name)).isZero();
    world.pass(CredentialService.NAME_KEPT.plus(Duration.ofSeconds(1)));
    assertThat(register(name)).isInstanceOf(AccountService.RegisterOutcome.Registered.class);
    assertThat(credentials.deleteByName(name)).isTrue();
    assertThat(credentials.deleteByName(name)).isFalse();
  }

  private static long rows(String table, String text) {
    return world
        .database()
        .query("SELECT count(*) FROM " + table + " t WHERE t::text LIKE '%' || $1 || '%'", text)
        .await()
        .getFirst()
        .getLong(0);
  }
}
