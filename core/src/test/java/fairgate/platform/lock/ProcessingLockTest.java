package fairgate.platform.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import fairgate.TestEngines;
import fairgate.platform.lock.ProcessingLock.LockOutcome;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;

@Tag("slow")
final class ProcessingLockTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofSeconds(3);

  private final String uri = TestEngines.shared().redisUri();
  private final LockWorld node = new LockWorld(uri, LockWorld.config(LONG, LONG.multipliedBy(5)));
  private final LockWorld other = new LockWorld(uri, LockWorld.config(LONG, LONG));
  private final String key = LockWorld.key();

  @AfterEach
  void close() {
    node.close();
    other.close();
  }

  @Test
  @Execution(CONCURRENT)
  void theLockIsExclusiveUntilItsTimeout() {
    // Long enough that a slow machine tries it before its end.
    Duration life = Duration.ofSeconds(15);
    LockLease lease = node.taken(key, life);
    assertThat(other.take(key, LONG)).isEqualTo(new LockOutcome.Busy());
    other.ended(key);
    node.pass(life);
    assertThat(lease.isHeld()).isFalse();
    assertThat(other.taken(key, LONG).isHeld()).isTrue();
  }

  @Test
  void aReleasedLockIsFree() {
    node.lock().releaseLock(node.taken(key, LONG)).await();
    assertThat(other.taken(key, LONG).isHeld()).isTrue();
  }

  @Test
  void everyRefusalIsCounted() {
    LockLease lease = node.taken(key, LONG);
    assertThat(other.take(key, LONG)).isEqualTo(new LockOutcome.Busy());
    assertThat(other.take(key, LONG)).isEqualTo(new LockOutcome.Busy());
    assertThat(node.call("GET", key)).isEqualTo(lease.owner());
    assertThat(other.counted("processing_lock_hits_total 2.0")).isTrue();
  }

  @Test
  @Execution(CONCURRENT)
  void aLockEndsAfterItsLifeAlthoughTheWorkLives() {
    Promise<String> work = Promise.promise();
    LockLease lease = node.taken(key, SHORT);
    Future<String> done = node.lock().untilDone(lease, work::future);
    node.ended(key);
    LockLease next = other.taken(key, LONG);
    work.complete("answer");
    assertThat(done.await()).isEqualTo("answer");
    assertThat(other.call("GET", key)).isEqualTo(next.owner());
  }

  @Test
  @Execution(CONCURRENT)
  void aPausedOwnerDoesNotAffectOthers() {
    LockLease paused = node.taken(key, SHORT);
    node.ended(key);
    LockLease fresh = other.taken(key, LONG);
    // The clock of the paused node stood still too, so the node still considers its lock held.
    assertThat(paused.isHeld()).isTrue();
    assertThat(node.lock().renewLock(paused, LONG).await()).isFalse();
    assertThat(paused.isHeld()).isFalse();
    assertThat(node.counted("processing_lock_lost_total 1.0")).isTrue();
    node.lock().releaseLock(paused).await();
    assertThat(other.call("GET", key)).isEqualTo(fresh.owner());
    assertThat(other.lock().renewLock(fresh, LONG).await()).isTrue();
  }

  @Test
  @Execution(CONCURRENT)
  void theReleaseOfAPausedOwnerDoesNotAffectOthers() {
    LockLease paused = node.taken(key, SHORT);
    node.ended(key);
    LockLease fresh = other.taken(key, LONG);
    node.lock().releaseLock(paused).await();
    node.lock().releaseLock(paused).await();
    assertThat(other.call("GET", key)).isEqualTo(fresh.owner());
  }

  @Test
  @Execution(CONCURRENT)
  void theLockIsRenewedDuringTheWorkAndReleasedAfterwards() {
    LockLease lease = node.taken(key, LONG);
    Promise<String> work = Promise.promise();
    // Long enough that a slow machine does not exceed it between two renewals.
    Duration life = Duration.ofSeconds(15);
    Future<String> done = node.lock().whileLocked(lease, life, work::future);
    LockWorld.await(() -> Long.parseLong(node.call("PTTL", key)) <= life.toMillis());
    LockWorld.await(() -> Long.parseLong(node.call("PTTL", key)) <= life.toMillis() - 500);
    LockWorld.await(() -> Long.parseLong(node.call("PTTL", key)) > life.toMillis() - 500);
    assertThat(other.take(key, LONG)).isInstanceOf(LockOutcome.Busy.class);
    work.complete("answer");
    assertThat(done.await()).isEqualTo("answer");
    assertThat(node.call("EXISTS", key)).isEqualTo("0");
    assertThat(node.counted("processing_duration_seconds_count 1")).isTrue();
  }

  @Test
  void theLockIsNotRenewedBeyondTheLimit() {
    LockLease lease = node.taken(key, LONG);
    node.pass(LONG.multipliedBy(4).plusSeconds(50));
    assertThat(lease.isHeld()).isFalse();
    assertThat(node.lock().renewLock(lease, LONG).await()).isFalse();
    LockLease next = other.taken(LockWorld.key(), LONG);
    other.pass(Duration.ofSeconds(50));
    assertThat(other.lock().renewLock(next, LONG).await()).isTrue();
    assertThat(Long.parseLong(other.call("PTTL", next.key()))).isLessThanOrEqualTo(10_000);
    other.pass(Duration.ofSeconds(10));
    assertThat(next.isHeld()).isFalse();
    assertThat(other.lock().renewLock(next, LONG).await()).isFalse();
  }

  @Test
  void failedWorkReleasesTheLock() {
    Future<String> failed =
        node.lock()
            .whileLocked(
                node.taken(key, LONG), () -> Future.failedFuture(new IllegalStateException("no")));
    assertThatThrownBy(failed::await).hasMessage("no");
    assertThat(node.call("EXISTS", key)).isEqualTo("0");
    Future<String> thrown =
        node.lock()
            .whileLocked(
                node.taken(key, LONG),
                () -> {
                  throw new IllegalStateException("thrown");
                });
    assertThatThrownBy(thrown::await).hasMessage("thrown");
    assertThat(node.call("EXISTS", key)).isEqualTo("0");
  }

  @Test
  void disabledLocksExcludeNobody() {
    try (LockWorld off = new LockWorld(uri, new ProcessingLock.Config(false, LONG, LONG))) {
      LockLease lease = off.taken(key, LONG);
      assertThat(off.taken(key, LONG).isHeld()).isTrue();
      assertThat(off.lock().whileLocked(lease, () -> Future.succeededFuture(1)).await())
          .isEqualTo(1);
      assertThat(off.call("EXISTS", key)).isEqualTo("0");
    }
  }
}
