package fairgate.account;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.SaleWorld;
import fairgate.account.LoginDelays.AttemptScript;
import fairgate.account.LoginDelays.AttemptScript.Attempt;
import fairgate.account.LoginDelays.PasswordAcceptedScript;
import fairgate.account.LoginDelays.PasswordAcceptedScript.DeviceLimits;
import fairgate.platform.redis.RedisClient;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class PasswordAcceptedScriptTest {
  private static final DeviceLimits TWO = new DeviceLimits(2, Duration.ofDays(1));

  private final RedisClient redis = SaleWorld.connect();
  private final AttemptScript script = new AttemptScript(redis);
  private final PasswordAcceptedScript right = new PasswordAcceptedScript(redis);
  private final String name = UUID.randomUUID().toString();

  private Attempt from(String device) {
    return new Attempt(name, "192.0.2.1", device);
  }

  private void attempt(String device) {
    assertThat(script.run(from(device), LoginDelays.DELAYS, LoginDelays.STRANGERS).await())
        .isZero();
  }

  private String strangers() {
    return redis.send("GET", AccountKeys.strangers(name)).await().text();
  }

  @Test
  void successForgetsTheFailuresAndIsGivenBackToTheStrangersBudget() {
    attempt("");
    attempt("");
    assertThat(strangers()).isEqualTo("2");
    right.run(from(""), TWO).await();
    assertThat(strangers()).isEqualTo("1");
    String key = AccountKeys.attempts(name, "net:192.0.2.1");
    assertThat(redis.send("EXISTS", key).await().number()).isZero();
  }

  @Test
  void aKnownDeviceUsesNothingOfTheStrangersBudget() {
    attempt("one");
    right.run(from("one"), TWO).await();
    attempt("one");
    assertThat(strangers()).isEqualTo("0");
    right.run(from("one"), TWO).await();
    assertThat(strangers()).isEqualTo("0");
  }

  @Test
  void aDeviceWithoutARecentSignInIsForgotten() {
    String key = AccountKeys.devices(name);
    attempt("old");
    right.run(from("old"), TWO).await();
    assertThat(redis.send("ZADD", key, "1", "old").await().number()).isZero();
    attempt("new");
    right.run(from("new"), TWO).await();
    assertThat(redis.send("ZCARD", key).await().number()).isEqualTo(1);
  }

  @Test
  void theNewestDevicesAreRememberedForTheirLife() {
    String key = AccountKeys.devices(name);
    for (String device : new String[] {"a", "b", "c"}) {
      attempt(device);
      right.run(from(device), TWO).await();
    }
    assertThat(redis.send("ZCARD", key).await().number()).isEqualTo(2);
    assertThat(redis.send("PTTL", key).await().number()).isBetween(86_000_000L, 86_400_000L);
  }
}
