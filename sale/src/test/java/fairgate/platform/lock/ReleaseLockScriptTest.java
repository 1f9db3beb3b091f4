package fairgate.platform.lock;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.SaleWorld;
import fairgate.platform.lock.ProcessingLock.AcquireLockScript;
import fairgate.platform.lock.ProcessingLock.ReleaseLockScript;
import fairgate.platform.redis.RedisClient;
import org.junit.jupiter.api.Test;

final class ReleaseLockScriptTest {
  private final RedisClient redis = SaleWorld.connect();
  private final AcquireLockScript acquire = new AcquireLockScript(redis);
  private final ReleaseLockScript script = new ReleaseLockScript(redis);
  private final String key = LockWorld.key();

  private String release(String owner) {
    return script.run(key, owner).await();
  }

  @Test
  void theOwnerReleasesTheLockOnce() {
    assertThat(acquire.run(key, "anna", 60_000).await()).isEqualTo("ACQUIRED");
    assertThat(release("anna")).isEqualTo("RELEASED");
    assertThat(redis.send("EXISTS", key).await().number()).isZero();
    assertThat(release("anna")).isEqualTo("NOT_OWNER");
  }

  @Test
  void theOwnerReleasesTheLockAfterARefusal() {
    assertThat(acquire.run(key, "anna", 60_000).await()).isEqualTo("ACQUIRED");
    assertThat(acquire.run(key, "bert", 60_000).await()).isEqualTo("BUSY");
    assertThat(release("anna")).isEqualTo("RELEASED");
    assertThat(redis.send("EXISTS", key).await().number()).isZero();
  }

  @Test
  void otherOwnersCannotReleaseTheLock() {
    assertThat(acquire.run(key, "anna", 60_000).await()).isEqualTo("ACQUIRED");
    for (String stranger : new String[] {"bert", "", "ann", "annab", "anna told"}) {
      assertThat(release(stranger)).as(stranger).isEqualTo("NOT_OWNER");
    }
    assertThat(redis.send("GET", key).await().text()).isEqualTo("anna");
  }

  @Test
  void aKeyOfAnotherKindIsLeftAlone() {
    assertThat(redis.send("HSET", key, "a", "b").await().number()).isEqualTo(1);
    assertThat(release("anna")).isEqualTo("NOT_OWNER");
    assertThat(redis.send("EXISTS", key).await().number()).isEqualTo(1);
  }
}
