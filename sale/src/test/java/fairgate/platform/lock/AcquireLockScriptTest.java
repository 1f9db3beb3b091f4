package fairgate.platform.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.SaleWorld;
import fairgate.platform.lock.ProcessingLock.AcquireLockScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisFailure;
import io.vertx.core.Future;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class AcquireLockScriptTest {
  private final RedisClient redis = SaleWorld.connect();
  private final AcquireLockScript script = new AcquireLockScript(redis);
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
  void aRefusalChangesNothing() {
    assertThat(acquire("anna")).isEqualTo("ACQUIRED");
    assertThat(acquire("bert")).isEqualTo("BUSY");
    assertThat(acquire("bert")).isEqualTo("BUSY");
    assertThat(value()).isEqualTo("anna");
    assertThat(redis.send("PTTL", key).await().number()).isPositive();
  }

  /// Older builds added the time of a notice.
  @Test
  void aLockOfAnOlderBuildHasItsOwner() {
    assertThat(acquire("anna")).isEqualTo("ACQUIRED");
    String older = "anna 1700000000000";
    assertThat(redis.send("SET", key, older, "KEEPTTL").await().text()).isEqualTo("OK");
    assertThat(acquire("bert")).isEqualTo("BUSY");
    assertThat(acquire("anna")).isEqualTo("ACQUIRED");
  }

  @Test
  void aRepeatByTheOwnerChangesNothing() {
    assertThat(acquire("anna")).isEqualTo("ACQUIRED");
    assertThat(script.run(key, "anna", 90_000).await()).isEqualTo("ACQUIRED");
    assertThat(redis.send("PTTL", key).await().number()).isLessThanOrEqualTo(60_000L);
    assertThat(acquire("bert")).isEqualTo("BUSY");
    assertThat(acquire("anna")).isEqualTo("ACQUIRED");
    assertThat(value()).isEqualTo("anna");
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
    assertThat(words).filteredOn("BUSY"::equals).hasSize(999);
  }
}
