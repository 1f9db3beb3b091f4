package fairgate.gate.limit;

import fairgate.kernel.CircuitBreaker;
import fairgate.platform.http.Guard;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Health.Status;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/// Wires the limits: the guard of the web server, and the limiter for features with limits of their
/// own.
public final class LimitFeature {
  private static final int BREAKER_FAILURES = 5;

  /// Calls in flight during one short stall fail together and do not open the breaker.
  private static final Duration BREAKER_SPAN = Duration.ofMillis(100);

  private static final Duration BREAKER_PAUSE = Duration.ofMillis(500);
  private static final long RECENT = TimeUnit.SECONDS.toNanos(10);

  private final Limiter limiter;
  private final Guard guard;
  private final LimitMeters meters;

  private LimitFeature(Limiter limiter, Guard guard, LimitMeters meters) {
    this.limiter = limiter;
    this.guard = guard;
    this.meters = meters;
  }

  /// The parts that the limits need.
  ///
  /// @param inspectors asked in this order, before the limits
  /// @param callers the allow-list, and the accounts of signed-in callers
  public record Dependencies(
      Vertx vertx,
      RedisClient redis,
      Metrics metrics,
      List<Inspector> inspectors,
      Callers callers) {}

  public static LimitFeature wire(LimitConfig config, Dependencies parts) {
    LimitMeters meters = new LimitMeters(parts.metrics());
    CircuitBreaker breaker =
        new CircuitBreaker(BREAKER_FAILURES, BREAKER_SPAN, BREAKER_PAUSE, System::nanoTime);
    Limiter limiter =
        new Limiter(
            new LimitBatcher.Resources(
                parts.vertx(),
                new LimitScript(parts.redis()),
                System::nanoTime,
                config.callBudget(),
                breaker,
                meters,
                new GiveBackQueue(
                    parts.vertx(), new GiveBackScript(parts.redis()), System::nanoTime)),
            config.rules());
    ConcurrencyLimit requests = new ConcurrencyLimit(config.concurrent());
    ConcurrencyLimit streams = new ConcurrencyLimit(config.streams());
    Guard guard =
        new LimitGuard(
            limiter,
            new LimitReplies(max -> ThreadLocalRandom.current().nextInt(max)),
            new LimitGuard.Slots(requests, streams),
            parts.inspectors(),
            parts.callers(),
            config.callBudget());
    parts
        .metrics()
        .gauge(
            "fairgate.limit.concurrent.highest",
            "The most requests one address or account has running on this node",
            requests::highest);
    return new LimitFeature(limiter, guard, meters);
  }

  /// For features that limit more than routes.
  public Limiter limiter() {
    return limiter;
  }

  /// Checks requests before their routes.
  public Guard guard() {
    return guard;
  }

  /// Reports `degraded` until ten seconds after the last call that was judged without Redis.
  public void report(Health health) {
    health.register("limits", () -> Future.succeededFuture(status()));
  }

  private Status status() {
    long since = meters.sinceDegraded(System.nanoTime());
    return since >= 0 && since < RECENT
        ? Status.worse("calls are judged without redis, by what each limit says for that")
        : Status.good();
  }
}
