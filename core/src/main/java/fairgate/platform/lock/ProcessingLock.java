package fairgate.platform.lock;

import fairgate.kernel.Ids;
import fairgate.platform.lock.LockLease.Store;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A lock with one owner at a time per key, across all nodes.
///
/// A lock is `SET key owner NX PX life`; renewal and release compare the owner, so an owner whose
/// lock has expired does not affect the next one. The lock avoids duplicate work but does not
/// exclude it: steps that must never be repeated also need an idempotency key. While Redis is
/// unavailable, slow or refuses writes, this node decides alone, which is counted and reported as
/// degraded.
///
/// Thread-safe. Futures of calls made on an event loop complete on it.
public final class ProcessingLock {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessingLock.class);
  private static final Duration BUDGET = Duration.ofMillis(250);
  private static final int RENEWALS_PER_LIFE = 3;

  private final Vertx vertx;
  private final Ids ids;
  private final Config config;
  private final LongSupplier nanos;
  private final LockMeters meters;
  private final CallTimeouts timeouts;
  private final AcquireLockScript acquire;
  private final RenewLockScript renew;
  private final ReleaseLockScript release;
  private final LocalLocks local = new LocalLocks();
  private volatile boolean degraded;

  public ProcessingLock(Vertx vertx, RedisClient redis, Ids ids, Metrics metrics, Config config) {
    this(vertx, redis, ids, metrics, config, System::nanoTime, BUDGET);
  }

  /// @param nanos a monotonic clock
  /// @param budget the time after which the node decides without Redis
  ProcessingLock(
      Vertx vertx,
      RedisClient redis,
      Ids ids,
      Metrics metrics,
      Config config,
      LongSupplier nanos,
      Duration budget) {
    this.vertx = vertx;
    this.ids = ids;
    this.config = config;
    this.nanos = nanos;
    this.meters = LockMeters.of(metrics);
    this.timeouts = new CallTimeouts(vertx, budget);
    this.acquire = new AcquireLockScript(redis);
    this.renew = new RenewLockScript(redis);
    this.release = new ReleaseLockScript(redis);
  }

  public Config config() {
    return config;
  }

  /// Whether the last decision was made without Redis.
  public boolean degraded() {
    return degraded;
  }

  /// Tries to take the lock for the configured timeout.
  public Future<LockOutcome> tryAcquireLock(String key) {
    return tryAcquireLock(key, config.timeout());
  }

  /// Tries to take the lock and returns at once; there is no waiting. The lock ends after `timeout`
  /// unless `whileLocked` renews it. The future never fails.
  public Future<LockOutcome> tryAcquireLock(String key, Duration timeout) {
    long start = nanos.getAsLong();
    String owner = ids.nonce();
    long life = timeout.toNanos();
    if (!config.enabled()) {
      return Future.succeededFuture(
          new LockOutcome.Acquired(new LockLease(key, owner, Store.NONE, nanos, start, life)));
    }
    if (local.refuses(key)) {
      meters.degraded().increment();
      return Future.succeededFuture(busy());
    }
    return timeouts
        .within(acquire.run(key, owner, timeout.toMillis()))
        .map(word -> granted(word, new LockLease(key, owner, Store.REDIS, nanos, start, life)))
        .recover(
            failure -> {
              decidedLocally(failure);
              LockLease requested = new LockLease(key, owner, Store.NODE, nanos, start, life);
              return Future.succeededFuture(outcome(requested, local.take(requested)));
            });
  }

  /// Releases the lock if the lease still holds it; a repeat has no effect. The future never fails:
  /// a lock that cannot be released expires.
  public Future<Void> releaseLock(LockLease lease) {
    if (!lease.end()) {
      return Future.succeededFuture();
    }
    local.remove(lease);
    if (lease.keeper() == Store.NONE) {
      return Future.succeededFuture();
    }
    // Also for leases of this node: Redis may have granted the lock although its reply was lost.
    return timeouts.within(release.run(lease.key(), lease.owner())).otherwise("UNKNOWN").mapEmpty();
  }

  /// Runs the work while renewing its lock every third of its life, at most until the configured
  /// limit. Releases the lock when the work completes, fails or throws, and then returns the result
  /// of the work.
  ///
  /// @param life the time for which each renewal extends the lock
  public <T> Future<T> whileLocked(LockLease lease, Duration life, Supplier<Future<T>> work) {
    renewLater(lease, life);
    return untilDone(lease, work);
  }

  /// Runs the work and releases the lock afterwards. The lock ends after its life, whether or not
  /// the work is done.
  public <T> Future<T> untilDone(LockLease lease, Supplier<Future<T>> work) {
    return begin(work)
        .eventually(
            () -> {
              meters.duration().record(lease.age(), TimeUnit.NANOSECONDS);
              return releaseLock(lease);
            });
  }

  /// Runs the work while renewing its lock with the configured timeout.
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
    if (lease.keeper() != Store.NONE) {
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

  /// Renews the lock if the lease still holds it, but not beyond the configured limit.
  ///
  /// @return whether another renewal makes sense
  Future<Boolean> renewLock(LockLease lease, Duration life) {
    long start = nanos.getAsLong();
    long more = Math.min(life.toNanos(), config.limit().toNanos() - lease.age());
    long moreMs = TimeUnit.NANOSECONDS.toMillis(more);
    if (!lease.isHeld() || moreMs <= 0) {
      return Future.succeededFuture(false);
    }
    if (lease.keeper() == Store.NODE) {
      lease.extend(start, more);
      return Future.succeededFuture(true);
    }
    return timeouts
        .within(renew.run(lease.key(), lease.owner(), moreMs))
        .map(word -> renewed(word, lease, start + more))
        .otherwise(
            failure -> {
              // The lease keeps its expiry. The next renewal may succeed.
              decidedLocally(failure);
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
      LOG.warn("A lock was lost while its work was running; key={}", lease.key());
      local.remove(lease);
    }
    return false;
  }

  private LockOutcome granted(String word, LockLease lease) {
    degraded = false;
    return switch (word) {
      case "ACQUIRED" -> adopted(lease);
      case "BUSY" -> busy();
      default -> throw new IllegalStateException("unexpected reply of acquire_lock.lua: " + word);
    };
  }

  private LockOutcome adopted(LockLease lease) {
    LockLease holder = local.adopt(lease);
    if (!holder.equals(lease)) {
      // Taken on this node while Redis was unavailable, and still held.
      release.run(lease.key(), lease.owner()).onFailure(this::decidedLocally);
    }
    return outcome(lease, holder);
  }

  private LockOutcome outcome(LockLease requested, LockLease holder) {
    return holder.equals(requested) && requested.isHeld()
        ? new LockOutcome.Acquired(requested)
        : busy();
  }

  private LockOutcome busy() {
    meters.hits().increment();
    return new LockOutcome.Busy();
  }

  private void decidedLocally(Throwable failure) {
    meters.degraded().increment();
    if (!degraded) {
      degraded = true;
      LOG.warn("Redis is unavailable; processing locks hold on this node only", failure);
    }
  }

  /// The metrics of locks; the first two have the names from the LINE channel's specification.
  ///
  /// @param hits calls refused because the actor's last request is still being processed
  /// @param duration the duration of work under a lock
  /// @param degraded calls decided by this node alone, because Redis was unavailable
  /// @param lost locks that expired or were taken over while their work was running
  record LockMeters(Counter hits, Timer duration, Counter degraded, Counter lost) {
    static LockMeters of(Metrics metrics) {
      return new LockMeters(
          metrics.counter("processing_lock_hits", "Requests refused while the last is worked on"),
          metrics.timer("processing_duration", "How long work under a processing lock takes"),
          metrics.counter("processing_lock_degraded", "Locks decided without Redis"),
          metrics.counter("processing_lock_lost", "Locks that ended before their work"));
    }
  }

  /// `release_lock.lua`: releases locks for their owners. Concurrent calls share a batch.
  static final class ReleaseLockScript {
    private static final LuaScript SCRIPT =
        LuaScript.load(ReleaseLockScript.class, "release_lock.lua");
    private static final ScriptBatcher.Shared SHARED =
        new ScriptBatcher.Shared("lock", List.of(), List.of());
    private static final int MAX_BATCH_SIZE = 64;

    private final ScriptBatcher batcher;

    ReleaseLockScript(RedisClient redis) {
      this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
    }

    Future<String> run(String key, String owner) {
      return batcher.call(SHARED, new ScriptBatcher.Item(List.of(key), List.of(owner)));
    }
  }

  /// `renew_lock.lua`: renews locks. Concurrent calls share a batch.
  static final class RenewLockScript {
    private static final LuaScript SCRIPT = LuaScript.load(RenewLockScript.class, "renew_lock.lua");
    private static final ScriptBatcher.Shared SHARED =
        new ScriptBatcher.Shared("lock", List.of(), List.of());
    private static final int MAX_BATCH_SIZE = 64;

    private final ScriptBatcher batcher;

    RenewLockScript(RedisClient redis) {
      this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
    }

    Future<String> run(String key, String owner, long lifeMs) {
      return batcher.call(
          SHARED, new ScriptBatcher.Item(List.of(key), List.of(owner, Long.toString(lifeMs))));
    }
  }

  /// `acquire_lock.lua`: takes free locks. Concurrent calls share a batch.
  static final class AcquireLockScript {
    private static final LuaScript SCRIPT =
        LuaScript.load(AcquireLockScript.class, "acquire_lock.lua");
    private static final int MAX_BATCH_SIZE = 64;

    private final ScriptBatcher batcher;
    private final ScriptBatcher.Shared shared =
        new ScriptBatcher.Shared("lock", List.of(), List.of());

    AcquireLockScript(RedisClient redis) {
      this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
    }

    Future<String> run(String key, String owner, long lifeMs) {
      return batcher.call(
          shared, new ScriptBatcher.Item(List.of(key), List.of(owner, Long.toString(lifeMs))));
    }
  }

  /// The settings of processing locks.
  ///
  /// @param enabled whether there are locks; otherwise every caller gets a lease that excludes
  ///   nobody
  /// @param timeout the time after which a lock expires unless it is renewed: an actor waits this
  ///   long for a dead node
  /// @param limit the time after which a lock is no longer renewed; at least the timeout
  public record Config(boolean enabled, Duration timeout, Duration limit) {
    /// Throws IllegalArgumentException when the limit is shorter than the timeout.
    public Config {
      if (!timeout.isPositive() || limit.compareTo(timeout) < 0) {
        throw new IllegalArgumentException("a lock of " + timeout + " within " + limit);
      }
    }
  }

  public sealed interface LockOutcome {
    /// The caller owns the lock until it is released or expires.
    record Acquired(LockLease lease) implements LockOutcome {}

    /// The actor's last request is still being processed.
    record Busy() implements LockOutcome {}
  }
}
