package fairgate.gate.signal;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.signal.SharedByScript.Member;
import fairgate.gate.signal.SharedByScript.Shared;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import fairgate.testkit.Eventually;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class SharedByScriptTest {
  private static final Vertx VERTX = Vertx.vertx();
  private static final RedisClient REDIS =
      RedisClient.connect(
              VERTX, new RedisSettings(TestEngines.shared().redisUri(), Duration.ofSeconds(10)))
          .await();
  private static final AtomicLong NEXT = new AtomicLong();
  private static final Duration HOUR = Duration.ofHours(1);

  private final SharedByScript script = new SharedByScript(REDIS);
  private final String prefix = "device_key:{test" + NEXT.incrementAndGet() + "}";

  @AfterAll
  static void close() {
    REDIS.close();
    VERTX.close().await();
  }

  private Shared remember(String account, String browser) {
    return script.remember(prefix, new Member(account, browser), HOUR).await();
  }

  private Shared count(String account, String browser) {
    return script.count(prefix, new Member(account, browser)).await();
  }

  private long ttl(String key) {
    return REDIS.send("PTTL", prefix + key).await().number();
  }

  @Test
  void theCallerIsIncludedAndCountingChangesNothing() {
    assertThat(count("a", "x")).isEqualTo(new Shared(1, 1));
    assertThat(count("b", "y")).isEqualTo(new Shared(1, 1));
    assertThat(ttl(":accounts")).isEqualTo(-2);
    assertThat(remember("a", "x")).isEqualTo(new Shared(1, 1));
    assertThat(count("b", "y")).isEqualTo(new Shared(2, 2));
    assertThat(count("a", "x")).isEqualTo(new Shared(1, 1));
  }

  @Test
  void aRepeatCountsOnceAndAGuestHasNoAccount() {
    assertThat(remember("", "x")).isEqualTo(new Shared(0, 1));
    assertThat(remember("a", "x")).isEqualTo(new Shared(1, 1));
    assertThat(remember("a", "x")).isEqualTo(new Shared(1, 1));
    assertThat(remember("b", "x")).isEqualTo(new Shared(2, 1));
    assertThat(remember("", "")).isEqualTo(new Shared(2, 1));
  }

  @Test
  void membersAreForgottenAfterTheirLife() {
    Shared _ = remember("a", "x");
    assertThat(ttl(":accounts")).isBetween(1L, HOUR.toMillis());
    assertThat(ttl(":browsers")).isBetween(1L, HOUR.toMillis());
    Shared _ = script.remember(prefix, new Member("b", "y"), Duration.ofMillis(20)).await();
    Eventually.await("both are forgotten", () -> count("c", "z").equals(new Shared(1, 1)));
  }

  @Test
  void aSetIsBounded() {
    for (int i = 0; i < SharedByScript.MOST + 10; i++) {
      Shared _ = remember("account" + i, "browser" + i);
    }
    assertThat(count("other", "other"))
        .isEqualTo(new Shared(SharedByScript.MOST, SharedByScript.MOST));
    assertThat(REDIS.send("SCARD", prefix + ":accounts").await().number())
        .isEqualTo(SharedByScript.MOST);
  }
}
