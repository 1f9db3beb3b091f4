package fairgate.platform.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import fairgate.TestEngines;
import fairgate.platform.lock.ProcessingLock.LockOutcome;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;

/// While Redis is unavailable, a node's locks hold on that node.
@Tag("slow")
final class LockWithoutRedisTest {
  private static final Duration LIFE = Duration.ofSeconds(60);

  private final TestEngines engines = TestEngines.privateEngines();
  private final LockWorld node =
      // Shorter than the time after which the client of Redis gives up a call.
      LockWorld.withBudget(
          engines.redisUri(), LockWorld.config(LIFE, LIFE.multipliedBy(5)), Duration.ofSeconds(5));
  private final String key = LockWorld.key();

  @AfterEach
  void close() {
    node.close();
    engines.close();
  }

  @Test
  void eachNodeLocksAloneWithoutRedis() {
    engines.killRedis();
    LockLease lease = node.taken(key, LIFE);
    assertThat(node.lock().degraded()).isTrue();
    assertThat(node.take(key, LIFE)).isEqualTo(new LockOutcome.Busy());
    assertThat(node.take(key, LIFE)).isEqualTo(new LockOutcome.Busy());
    assertThat(node.counted("processing_lock_degraded_total 3.0")).isTrue();
    node.pass(LIFE.minusSeconds(1));
    assertThat(node.lock().renewLock(lease, LIFE).await()).isTrue();
    node.pass(LIFE.minusSeconds(1));
    assertThat(node.take(key, LIFE)).isEqualTo(new LockOutcome.Busy());
    node.pass(Duration.ofSeconds(1));
    LockLease next = node.taken(key, LIFE);
    node.lock().releaseLock(lease).await();
    assertThat(next.isHeld()).isTrue();
    assertThat(node.take(key, LIFE)).isEqualTo(new LockOutcome.Busy());
    node.lock().releaseLock(next).await();
    assertThat(node.taken(key, LIFE).isHeld()).isTrue();
  }

  @Test
  void aLockTakenWithoutRedisIsKeptWhenRedisComesBack() {
    engines.killRedis();
    LockLease lease = node.taken(key, LIFE);
    engines.restartRedis();
    LockWorld.await(
        () ->
            node.lock().tryAcquireLock(LockWorld.key(), LIFE).await() != null
                && !node.lock().degraded());
    assertThat(node.take(key, LIFE)).isEqualTo(new LockOutcome.Busy());
    node.lock().releaseLock(lease).await();
    LockLease next = node.taken(key, LIFE);
    assertThat(node.call("GET", key)).isEqualTo(next.owner());
  }

  @Test
  @Execution(CONCURRENT)
  void aLockWithALostReplyIsReleased() {
    LockLease warm = node.taken(key, LIFE);
    node.lock().releaseLock(warm).await();
    engines.pauseRedis();
    LockLease lease = node.taken(key, LIFE);
    engines.resumeRedis();
    // Redis ran the call after the node's timeout.
    LockWorld.await(() -> node.call("GET", key).equals(lease.owner()));
    node.lock().releaseLock(lease).await();
    assertThat(node.call("EXISTS", key)).isEqualTo("0");
  }

  @Test
  @Execution(CONCURRENT)
  void aRenewalWithoutRedisIsRetried() {
    LockLease lease = node.taken(key, LIFE);
    engines.pauseRedis();
    assertThat(node.lock().renewLock(lease, LIFE).await()).isTrue();
    assertThat(node.lock().degraded()).isTrue();
    engines.resumeRedis();
    LockWorld.await(
        () -> {
          assertThat(node.lock().renewLock(lease, LIFE).await()).isTrue();
          return !node.lock().degraded();
        });
    assertThat(lease.isHeld()).isTrue();
  }
}
