package fairgate.platform.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ProcessingLockTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(500);

  private final String uri = TestEngines.shared().redisUri();
  private final LockWorld node = new LockWorld(uri, LockWorld.config(LONG, LONG.multipliedBy(5)));
  private final LockWorld other = new LockWorld(uri, LockWorld.config(LONG, LONG));
  private final String key = LockWorld.key();

  @AfterEach
  void close() {
    node.close();
    other.close();
  }

  private static LockOutcome busy(boolean first) {
    return new LockOutcome.Busy(first);
  }

  @Test
  void theFirstGetsItTheSecondDoesNotAndAfterTheTimeOutItIsFree() {
    LockLease lease = node.taken(key, SHORT);
    assertThat(other.take(key, LONG)).isEqualTo(busy(true));
    other.ended(key);
    node.pass(SHORT);
    assertThat(lease.isHeld()).isFalse();
    assertThat(other.taken(key, LONG).isHeld()).isTrue();
  }

  @Test
  void itIsFreeOnceItIsGivenBack() {
    node.lock().releaseLock(node.taken(key, LONG)).await();
    assertThat(other.taken(key, LONG).isHeld()).isTrue();
  }

  @Test
  void theNoticeIsForTheFirstRefusalOfAPeriodOnAllNodesTogether() {
    LockLease lease = node.taken(key, LONG);
    assertThat(other.take(key, LONG)).isEqualTo(busy(true));
    assertThat(node.take(key, LONG)).isEqualTo(busy(false));
    assertThat(other.take(key, LONG)).isEqualTo(busy(false));
    node.lock().releaseLock(lease).await();
    LockLease next = other.taken(key, LONG);
    assertThat(node.take(key, LONG)).isEqualTo(busy(true));
    other.lock().releaseLock(next).await();
    assertThat(other.counted("processing_lock_hits_total 2.0")).isTrue();
  }

  @Test
  void anOwnerThatWasPausedHurtsNobody() {
    LockLease paused = node.taken(key, SHORT);
    node.ended(key);
    LockLease fresh = other.taken(key, LONG);
    // The paused node's clock stood as still as the node: it still believes in its lock.
    assertThat(paused.isHeld()).isTrue();
    assertThat(node.lock().renewLock(paused, LONG).await()).isFalse();
    assertThat(paused.isHeld()).isFalse();
    assertThat(node.counted("processing_lock_lost_total 1.0")).isTrue();
    node.lock().releaseLock(paused).await();
    assertThat(other.call("GET", key)).isEqualTo(fresh.owner());
    assertThat(other.lock().renewLock(fresh, LONG).await()).isTrue();
  }

  @Test
  void thePausedOwnersReleaseAloneHurtsNobodyEither() {
    LockLease paused = node.taken(key, SHORT);
    node.ended(key);
    LockLease fresh = other.taken(key, LONG);
    node.lock().releaseLock(paused).await();
    node.lock().releaseLock(paused).await();
    assertThat(other.call("GET", key)).isEqualTo(fresh.owner());
  }

  @Test
  void itIsRenewedWhileTheWorkLivesAndGivenBackAfterwards() {
    LockLease lease = node.taken(key, LONG);
    Promise<String> work = Promise.promise();
    // Lives that a stalled machine does not use up between two renewals.
    Duration life = Duration.ofSeconds(3);
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
  void itIsNotRenewedBeyondTheLimit() {
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
  void workThatFailsOrThrowsGivesItBack() {
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
  void switchedOffItHoldsNobodyBack() {
    try (LockWorld off = new LockWorld(uri, new LockConfig(false, LONG, LONG))) {
      LockLease lease = off.taken(key, LONG);
      assertThat(off.taken(key, LONG).isHeld()).isTrue();
      assertThat(off.lock().whileLocked(lease, () -> Future.succeededFuture(1)).await())
          .isEqualTo(1);
      assertThat(off.call("EXISTS", key)).isEqualTo("0");
    }
  }
}
