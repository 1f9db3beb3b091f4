package fairgate.account;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.account.Sessions.Opened;
import fairgate.kernel.SignedIn;
import fairgate.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class SessionsTest {
  @SuppressWarnings("NullAway.Init")
  private static AccountWorld world;

  private final AccountWorld.RandomIds ids = new AccountWorld.RandomIds();
  private final Sessions sessions = world.sessions();

  /// Another node.
  private final Sessions elsewhere = world.sessions();

  private final String account = world.account();

  @BeforeAll
  static void start() {
    world = new AccountWorld();
  }

  @AfterAll
  static void stop() {
    world.close();
  }

  private Opened open() {
    return sessions.open(account, ids.nonce(), "Browser");
  }

  /// Redis forgets what the last look has told it, which that look did not wait for.
  private static void forget(String token) {
    Eventually.await(() -> world.redis().send("EXISTS", key(token)).await().number() > 0);
    var _ = world.redis().send("DEL", key(token)).await();
  }

  private static String key(String token) {
    return AccountKeys.session(SessionToken.hash(token));
  }

  private static SignedIn who(Optional<SignedIn> found) {
    return found.orElseThrow();
  }

  @Test
  void aTokenStandsForItsAccountOnEveryNode() {
    Opened opened = open();
    assertThat(opened.token()).matches("[\\w-]{43}\\.k\\.[\\w-]{22}");
    assertThat(who(elsewhere.find(opened.token()).await()).account()).isEqualTo(account);
    forget(opened.token());
    assertThat(who(elsewhere.find(opened.token()).await()).account()).isEqualTo(account);
  }

  @Test
  void onlyTheHashIsStored() {
    Opened opened = open();
    String secret = opened.token().substring(0, 43);
    assertThat(
            world
                .database()
                .query(
                    "SELECT count(*) AS n FROM account_sessions s WHERE s::text LIKE $1",
                    "%" + secret + "%")
                .await()
                .getFirst()
                .getLong("n"))
        .isZero();
    assertThat(world.redis().send("KEYS", "*" + secret + "*").await().size()).isZero();
  }

  @Test
  void whatRedisRemembersEndsByItself() {
    Opened opened = open();
    assertThat(sessions.find(opened.token()).await()).isPresent();
    Eventually.await(() -> world.redis().send("EXISTS", key(opened.token())).await().number() > 0);
    assertThat(world.redis().send("TTL", key(opened.token())).await().number())
        .isBetween(3_500L, 3_600L);
  }

  @Test
  void madeUpTokensAreKnownWithoutAskingAnybody() {
    Opened opened = open();
    String token = opened.token();
    long before = commands();
    for (String wrong :
        List.of(
            "",
            "x",
            token.substring(1),
            token + "A",
            token.replace(".k.", ".j."),
            (token.startsWith("A") ? "B" : "A") + token.substring(1),
            "A".repeat(5_000))) {
      assertThat(sessions.find(wrong).await()).as(wrong).isEmpty();
    }
    assertThat(commands() - before).isLessThanOrEqualTo(1);
  }

  private static long commands() {
    return world
        .redis()
        .send("INFO", "commandstats")
        .await()
        .text()
        .lines()
        .filter(line -> line.startsWith("cmdstat_get:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll(".*calls=(\\d+).*", "$1")))
        .sum();
  }

  @Test
  void aRevokedSessionEndsAtOnceOnEveryNodeAndStaysEnded() {
    Opened opened = open();
    SignedIn who = who(elsewhere.find(opened.token()).await());
    assertThat(sessions.revoke(account, who.session())).isTrue();
    assertThat(elsewhere.find(opened.token()).await()).isEmpty();
    forget(opened.token());
    assertThat(elsewhere.find(opened.token()).await()).isEmpty();
    assertThat(sessions.revoke(account, who.session())).isFalse();
  }

  @Test
  void aSlowReaderCannotBringBackWhatWasRevoked() {
    Opened opened = open();
    SignedIn who = who(elsewhere.find(opened.token()).await());
    assertThat(sessions.revoke(account, who.session())).isTrue();
    // What a reader writes that looked into PostgreSQL before.
    var _ =
        world
            .redis()
            .send("SET", key(opened.token()), account + "|" + who.session(), "NX", "EX", "60")
            .await();
    assertThat(elsewhere.find(opened.token()).await()).isEmpty();
  }

  @Test
  void nobodyRevokesTheSessionOfAnother() {
    Opened opened = open();
    SignedIn who = who(sessions.find(opened.token()).await());
    assertThat(sessions.revoke(world.account(), who.session())).isFalse();
    assertThat(sessions.find(opened.token()).await()).isPresent();
  }

  @Test
  void allOthersCanBeEnded() {
    Opened kept = open();
    Opened other = open();
    SignedIn who = who(sessions.find(kept.token()).await());
    assertThat(sessions.revokeOthers(account, who.session())).isEqualTo(1);
    assertThat(sessions.find(kept.token()).await()).isPresent();
    assertThat(sessions.find(other.token()).await()).isEmpty();
    assertThat(sessions.list(account).await())
        .extracting(AccountService.Session::id)
        .containsExactly(who.session());
  }

  @Test
  void theOldestMakesRoom() {
    Opened oldest = open();
    for (int i = 0; i < 3; i++) {
      world.pass(Duration.ofSeconds(1));
      assertThat(open()).isNotNull();
    }
    assertThat(sessions.find(oldest.token()).await()).isEmpty();
    assertThat(sessions.list(account).await()).hasSize(3);
  }

  @Test
  void aSessionEndsWhenItIsNotUsedAndInTheEndAnyway() {
    Opened unused = open();
    Opened used = open();
    for (int day = 0; day < 29; day += 5) {
      forget(used.token());
      assertThat(sessions.find(used.token()).await()).as("day " + day).isPresent();
      world.pass(Duration.ofDays(5));
    }
    forget(unused.token());
    assertThat(sessions.find(unused.token()).await()).isEmpty();
    forget(used.token());
    world.pass(Duration.ofDays(1));
    assertThat(sessions.find(used.token()).await()).isEmpty();
  }
}
