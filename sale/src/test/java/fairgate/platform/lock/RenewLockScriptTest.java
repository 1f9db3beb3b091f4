package fairgate.platform.lock;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.SaleWorld;
import fairgate.platform.lock.ProcessingLock.AcquireLockScript;
import fairgate.platform.lock.ProcessingLock.RenewLockScript;
import fairgate.platform.redis.RedisClient;
import org.junit.jupiter.api.Test;

final class RenewLockScriptTest {
  private final RedisClient redis = SaleWorld.connect();
  private final AcquireLockScript acquire = new AcquireLockScript(redis);
  private final RenewLockScript script = new RenewLockScript(redis);
  private final String key = LockWorld.key();

  private long rest() {
    return redis.send("PTTL", key).await().number();
  }

  @Test
  void theOwnerRenewsTheLockRepeatedly() {
    assertThat(acquire.run(key, "anna", 10_000).await()).isEqualTo("ACQUIRED");
    assertThat(script.run(key, "anna", 60_000).await()).isEqualTo("RENEWED");
    assertThat(rest()).isBetween(50_000L, 60_000L);
    assertThat(script.run(key, "anna", 30_000).await()).isEqualTo("RENEWED");
    assertThat(rest()).isBetween(20_000L, 30_000L);
  }

  @Test
  void anExpiredLockIsLostAndStaysFree() {
    assertThat(script.run(key, "anna", 60_000).await()).isEqualTo("LOST");
    assertThat(redis.send("EXISTS", key).await().number()).isZero();
  }

  @Test
  void otherOwnersCannotRenewTheLock() {
    assertThat(acquire.run(key, "anna", 10_000).await()).isEqualTo("ACQUIRED");
    assertThat(script.run(key, "bert", 60_000).await()).isEqualTo("LOST");
    assertThat(rest()).isLessThanOrEqualTo(10_000L);
  }

  @Test
  void aKeyOfAnotherKindIsLeftAlone() {
    assertThat(redis.send("HSET", key, "a", "b").await().number()).isEqualTo(1);
    assertThat(script.run(key, "anna", 60_000).await()).isEqualTo("LOST");
    assertThat(rest()).isEqualTo(-1);
  }
}
