package fairgate.platform.lock;

import fairgate.kernel.Ids;
import fairgate.platform.lock.LockLease.Keeper;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One owner at a time per key, on all nodes together.
///
/// A lock is `SET key owner NX PX life`; renewing and giving back compare the owner, so that one
/// who was away for longer than the lock lived hurts nobody. It saves work, and is no proof: what
/// must never be done twice needs an idempotency key as well. Where Redis is away, slow or refuses
/// writes, this node decides alone, which is counted and shown as degraded.
///
/// May be called from any thread; futures of calls made on an event loop come back on it.
public final class ProcessingLock {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessingLock.class);
  private static final Duration BUDGET = Duration.ofMillis(250);
  private static final int RENEWALS_PER_LIFE = 3;

  private final Vertx vertx;
  private final Ids ids;
  private final LockConfig config;
  private final LongSupplier nanos;
  private final LockMeters meters;
  private final CallBudget budget;
  private final AcquireLockScript acquire;
  private final RenewLockScript renew;
  private final ReleaseLockScript release;
  private final LocalLocks local = new LocalLocks();
  private volatile boolean degraded;

  public ProcessingLock(
      Vertx vertx, RedisClient redis, Ids ids, Metrics metrics, LockConfig config) {
    this(vertx, redis, ids, metrics, config, System::nanoTime);
  }

  /// @param nanos a clock that never steps back
  ProcessingLock(
      Vertx vertx,
      RedisClient redis,
      Ids ids,
      Metrics metrics,
      LockConfig config,
      LongSupplier nanos) {
    this.vertx = vertx;
    this.ids = ids;
    this.config = config;
    this.nanos = nanos;
    this.meters = LockMeters.of(metrics);
    this.budget = new CallBudget(vertx, BUDGET);
    this.acquire = new AcquireLockScript(redis);
    this.renew = new RenewLockScript(redis);
    this.release = new ReleaseLockScript(redis);
  }

  /// Whether the last decision was made without Redis.
  public boolean degraded() {
    return degraded;
  }

  /// `tryAcquireLock` with the configured time-out.
  public Future<LockOutcome> tryAcquireLock(String key) {
    return tryAcquireLock(key, config.timeout());
  }

  /// Takes the lock where it is free, and answers at once where it is not: nobody waits for a lock.
  /// It ends after `timeout` unless `whileLocked` renews it. The future never fails.
  public Future<LockOutcome> tryAcquireLock(String key, Duration timeout) {
    long start = nanos.getAsLong();
    String owner = ids.nonce();
    long life = timeout.toNanos();
    if (!config.enabled()) {
      return Future.succeededFuture(
          new LockOutcome.Acquired(new LockLease(key, owner, Keeper.NONE, nanos, start, life)));
    }
    LockOutcome.Busy refusal = local.refusal(key);
    if (refusal != null) {
      meters.degraded().increment();
      return Future.succeededFuture(counted(refusal));
    }
    return budget
        .within(acquire.run(key, owner, timeout.toMillis()))
        .map(word -> granted(word, new LockLease(key, owner, Keeper.REDIS, nanos, start, life)))
        .recover(
            failure -> {
              decidedAlone(failure);
              LockLease wanted = new LockLease(key, owner, Keeper.NODE, nanos, start, life);
              return Future.succeededFuture(outcome(wanted, local.take(wanted)));
            });
  }

  /// Gives the lock back if it is still the lease's; a repeat does nothing. The future never fails:
  /// a lock that cannot be given back ends by itself.
  public Future<Void> releaseLock(LockLease lease) {
    if (!lease.end()) {
      return Future.succeededFuture();
    }
    local.remove(lease);
    if (lease.keeper() == Keeper.NONE) {
      return Future.succeededFuture();
    }
    // A lease of this node too: Redis may have got it and the answer was lost.
    return budget.within(release.run(lease.key(), lease.owner())).otherwise("UNKNOWN").mapEmpty();
  }

  /// Does the work while its lock is renewed, every third of its life and at most until the
  /// configured limit, and gives the lock back when the work is done, failed or threw. The work's
  /// own result is handed on, after the release.
  ///
  /// @param life of the lock from each renewal on
  public <T> Future<T> whileLocked(LockLease lease, Duration life, Supplier<Future<T>> work) {
    renewLater(lease, life);
    return begin(work)
        .eventually(
            () -> {
              meters.duration().record(lease.age(), TimeUnit.NANOSECONDS);
              return releaseLock(lease);
            });
  }

  /// `whileLocked` with the configured time-out.
  public <T> Future<T> whileLocked(LockLease lease, Supplier<Future<T>> work) {
    return whileLocked(lease, config.timeout(), work);
  }

  private static <T> Future<T> begin(Supplier<Future<T>> work) {
    try {
      return work.get();
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  private void renewLater(LockLease lease, Duration life) {
    if (lease.keeper() != Keeper.NONE) {
      long wait = Math.max(1, life.toMillis() / RENEWALS_PER_LIFE);
      vertx.setTimer(
          wait,
          _ ->
              renewLock(lease, life)
                  .onSuccess(
                      again -> {
                        if (again) renewLater(lease, life);
                      }));
    }
  }

  /// Gives the lock a new life if it is still the lease's, but not beyond the configured limit.
  ///
  /// @return whether it is worth renewing once more
  Future<Boolean> renewLock(LockLease lease, Duration life) {
    long start = nanos.getAsLong();
    long more = Math.min(life.toNanos(), config.limit().toNanos() - lease.age());
    long moreMs = TimeUnit.NANOSECONDS.toMillis(more);
    if (!lease.isHeld() || moreMs <= 0) {
      return Future.succeededFuture(false);
    }
    if (lease.keeper() == Keeper.NODE) {
      lease.extend(start, more);
      return Future.succeededFuture(true);
    }
    return budget
        .within(renew.run(lease.key(), lease.owner(), moreMs))
        .map(word -> renewed(word, lease, start + more))
        .otherwise(
            failure -> {
              // The lease keeps its old end. Redis may answer the next time.
              decidedAlone(failure);
              return true;
            });
  }

  private boolean renewed(String word, LockLease lease, long until) {
    degraded = false;
    if (word.equals("RENEWED")) {
      lease.extend(until, 0);
      return true;
    }
    if (lease.end()) {
      meters.lost().increment();
      LOG.warn("the lock {} ended before its work", lease.key());
      local.remove(lease);
    }
    return false;
  }

  private LockOutcome granted(String word, LockLease lease) {
    degraded = false;
    return switch (word) {
      case "ACQUIRED" -> adopted(lease);
      case "BUSY" -> counted(new LockOutcome.Busy(true));
      case "TOLD" -> counted(new LockOutcome.Busy(false));
      default -> throw new IllegalStateException("acquire_lock.lua said " + word);
    };
  }

  private LockOutcome adopted(LockLease lease) {
    LockLease holder = local.adopt(lease);
    if (!holder.equals(lease)) {
      // Taken on this node while Redis was away and still worked on.
      release.run(lease.key(), lease.owner()).onFailure(this::decidedAlone);
    }
    return outcome(lease, holder);
  }

  private LockOutcome outcome(LockLease wanted, LockLease holder) {
    return holder.equals(wanted) && wanted.isHeld()
        ? new LockOutcome.Acquired(wanted)
        : counted(new LockOutcome.Busy(holder.tellFirst()));
  }

  private LockOutcome counted(LockOutcome.Busy busy) {
    meters.hits().increment();
    return busy;
  }

  private void decidedAlone(Throwable failure) {
    meters.degraded().increment();
    if (!degraded) {
      degraded = true;
      LOG.warn(
          "redis is away; processing locks hold on this node only: {}", String.valueOf(failure));
    }
  }
}
