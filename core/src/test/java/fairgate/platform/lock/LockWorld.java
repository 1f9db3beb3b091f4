package fairgate.platform.lock;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestIds;
import fairgate.platform.lock.ProcessingLock.LockOutcome;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/// The locks of one node on the tests' Redis, with a manual clock.
final class LockWorld implements AutoCloseable {
  /// Longer than a busy machine needs, so that Redis decides while it is up.
  private static final Duration BUDGET = Duration.ofSeconds(20);

  private static final Vertx VERTX = Vertx.vertx();

  private final String uri;
  private final RedisClient redis;
  private final Metrics metrics = new Metrics();
  private final AtomicLong nanos = new AtomicLong(1);
  private final ProcessingLock lock;

  LockWorld(String uri, ProcessingLock.Config config) {
    this(uri, config, false, BUDGET);
  }

  private LockWorld(String uri, ProcessingLock.Config config, boolean realTime, Duration budget) {
    this.uri = uri;
    this.redis = RedisClient.connect(VERTX, new RedisSettings(uri, BUDGET)).await();
    this.lock =
        new ProcessingLock(
            VERTX,
            redis,
            new TestIds(),
            metrics,
            config,
            realTime ? System::nanoTime : nanos::get,
            budget);
  }

  /// A node with the system clock.
  static LockWorld inRealTime(String uri, ProcessingLock.Config config) {
    return new LockWorld(uri, config, true, BUDGET);
  }

  /// A node that decides without Redis after the budget.
  static LockWorld withBudget(String uri, ProcessingLock.Config config, Duration budget) {
    return new LockWorld(uri, config, false, budget);
  }

  static ProcessingLock.Config config(Duration timeout, Duration limit) {
    return new ProcessingLock.Config(true, timeout, limit);
  }

  /// A new actor.
  static String key() {
    return ActorKey.buildActorKey("U" + UUID.randomUUID(), null, null).orElseThrow();
  }

  ProcessingLock lock() {
    return lock;
  }

  RedisClient redis() {
    return redis;
  }

  void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  LockOutcome take(String key, Duration timeout) {
    return lock.tryAcquireLock(key, timeout).await();
  }

  LockLease taken(String key, Duration timeout) {
    LockOutcome outcome = take(key, timeout);
    assertThat(outcome).isInstanceOf(LockOutcome.Acquired.class);
    return ((LockOutcome.Acquired) outcome).lease();
  }

  String call(String... command) {
    return RespConnection.call(uri, command);
  }

  /// Waits for the lock to expire in Redis.
  void ended(String key) {
    await(() -> call("EXISTS", key).equals("0"));
  }

  boolean counted(String line) {
    return metrics.scrape().lines().anyMatch(line::equals);
  }

  static void await(Eventually.Condition condition) {
    Eventually.await(condition);
  }

  @Override
  public void close() {
    redis.close();
  }
}
