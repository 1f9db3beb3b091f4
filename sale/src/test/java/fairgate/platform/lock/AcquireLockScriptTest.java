package fairgate.platform.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.SaleWorld;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisFailure;
import io.vertx.core.Future;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class AcquireLockScriptTest {
  private final RedisClient redis = SaleWorld.connect();
  private final AcquireLockScript script = new AcquireLockScript(redis, LockWorld.NOTICE_INTERVAL);
  private final String key = LockWorld.key();

  private String acquire(String owner) {
    return script.run(key, owner, 60_000).await();
  }

  private String value() {
    return redis.send("GET", key).await().text();
  }

  @Test
  void aFreeLockIsTaken() {
    assertThat(acquire("anna")).isEqualTo("ACQUIRED");
    assertThat(value()).isEqualTo("anna");
    assertThat(redis.send("PTTL", key).await().number()).isBetween(50_000L, 60_000L);
  }

  @Test
  void onlyTheFirstRefusalWithinTheIntervalAsksForANotice() {
    assertThat(acquire("anna")).isEqualTo("ACQUIRED");
    assertThat(acquire("bert")).isEqualTo("BUSY");
    assertThat(acquire("carl")).isEqualTo("TOLD");
    assertThat(acquire("bert")).isEqualTo("TOLD");
    assertThat(value()).matches("anna [0-9]{13}");
    assertThat(redis.send("PTTL", key).await().number()).isPositive();
  }

  @Test
  void aRefusalAfterTheIntervalAsksForANoticeAgain() {
    assertThat(acquire("anna")).isEqualTo("ACQUIRED");
    long before = nowMs() - LockWorld.NOTICE_INTERVAL.toMillis();
    assertThat(redis.send("SET", key, "anna " + before, "KEEPTTL").await().text()).isEqualTo("OK");
    assertThat(acquire("bert")).isEqualTo("BUSY");
    assertThat(acquire("bert")).isEqualTo("TOLD");
    assertThat(redis.send("PTTL", key).await().number()).isPositive();
  }

  @Test
  void aNoticeInTheFutureIsIgnored() {
    assertThat(acquire("anna")).isEqualTo("ACQUIRED");
    String ahead = "anna " + (nowMs() + 600_000);
    assertThat(redis.send("SET", key, ahead, "KEEPTTL").await().text()).isEqualTo("OK");
    assertThat(acquire("bert")).isEqualTo("BUSY");
    assertThat(acquire("bert")).isEqualTo("TOLD");
  }

  private long nowMs() {
    return Long.parseLong(
        redis.send("EVAL", "return redis.call('TIME')[1] .. '000'", "0").await().text());
  }

  @Test
  void aRepeatByTheOwnerChangesNothing() {
    assertThat(acquire("anna")).isEqualTo("ACQUIRED");
    assertThat(script.run(key, "anna", 90_000).await()).isEqualTo("ACQUIRED");
    assertThat(redis.send("PTTL", key).await().number()).isLessThanOrEqualTo(60_000L);
    assertThat(acquire("bert")).isEqualTo("BUSY");
    assertThat(acquire("anna")).isEqualTo("ACQUIRED");
    assertThat(value()).startsWith("anna ");
  }

  @Test
  void anExpiredLockIsFree() {
    assertThat(script.run(key, "anna", 20).await()).isEqualTo("ACQUIRED");
    LockWorld.await(() -> redis.send("EXISTS", key).await().number() == 0);
    assertThat(acquire("bert")).isEqualTo("ACQUIRED");
    assertThat(value()).isEqualTo("bert");
  }

  @Test
  void aKeyOfAnotherKindFailsItsOwnCallOnly() {
    assertThat(redis.send("HSET", key, "a", "b").await().number()).isEqualTo(1);
    Future<String> broken = script.run(key, "anna", 60_000);
    Future<String> sound = script.run(LockWorld.key(), "anna", 60_000);
    assertThatThrownBy(broken::await).isInstanceOf(RedisFailure.class).hasMessageContaining(key);
    assertThat(sound.await()).isEqualTo("ACQUIRED");
  }

  @Test
  void oneOfManyConcurrentCallersGetsTheLock() {
    List<Future<String>> calls =
        IntStream.range(0, 1_000).mapToObj(i -> script.run(key, "o" + i, 60_000)).toList();
    List<String> words = calls.stream().map(call -> call.await()).toList();
    assertThat(words).filteredOn("ACQUIRED"::equals).hasSize(1);
    assertThat(words).filteredOn("BUSY"::equals).hasSize(1);
    assertThat(words).filteredOn("TOLD"::equals).hasSize(998);
  }
}
