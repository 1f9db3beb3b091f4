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
public final class LimitFeature implements AutoCloseable {
  private static final int BREAKER_FAILURES = 5;

  /// Calls in flight during one short stall fail together and do not open the breaker.
  private static final Duration BREAKER_SPAN = Duration.ofMillis(100);

  private static final Duration BREAKER_PAUSE = Duration.ofMillis(500);
  private static final long RECENT = TimeUnit.SECONDS.toNanos(10);

  private final Limiter limiter;
  private final Guard guard;
  private final Nodes nodes;
  private final CircuitBreaker breaker;
  private final LimitMeters meters;

  private LimitFeature(
      Limiter limiter, Guard guard, Nodes nodes, CircuitBreaker breaker, LimitMeters meters) {
    this.limiter = limiter;
    this.guard = guard;
    this.nodes = nodes;
    this.breaker = breaker;
    this.meters = meters;
  }

  /// The parts that the limits need.
  ///
  /// @param node this node's name, which no other has
  /// @param inspectors asked in this order, before the limits
  /// @param callers the allow-list, and the accounts of signed-in callers
  public record Dependencies(
      Vertx vertx,
      RedisClient redis,
      Metrics metrics,
      String node,
      List<Inspector> inspectors,
      Callers callers) {}

  public static LimitFeature wire(LimitConfig config, Dependencies parts) {
    LimitMeters meters = new LimitMeters(parts.metrics());
    CircuitBreaker breaker =
        new CircuitBreaker(BREAKER_FAILURES, BREAKER_SPAN, BREAKER_PAUSE, System::nanoTime);
    Nodes nodes = new Nodes(parts.vertx(), parts.redis(), parts.node(), System::nanoTime);
    long budget = config.callBudget().toNanos();
    nodes.onReply(took -> closeInTime(breaker, took, budget));
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
                    parts.vertx(), new GiveBackScript(parts.redis()), System::nanoTime),
                nodes::alive),
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
    parts.metrics().gauge("fairgate.limit.nodes", "Nodes that share the limits", nodes::alive);
    parts
        .metrics()
        .gauge(
            "fairgate.limit.concurrent.highest",
            "The most requests one address or account has running on this node",
            requests::highest);
    return new LimitFeature(limiter, guard, nodes, breaker, meters);
  }

  /// Closes the breaker when Redis answers another call in time: without requests nothing else
  /// would probe it.
  private static void closeInTime(CircuitBreaker breaker, long tookNanos, long budgetNanos) {
    if (breaker.isOpen() && tookNanos <= budgetNanos) {
      boolean _ = breaker.succeeded();
    }
  }

  /// For features that limit more than routes.
  public Limiter limiter() {
    return limiter;
  }

  /// Checks requests before their routes.
  public Guard guard() {
    return guard;
  }

  /// Reports `degraded` while calls are judged without Redis.
  public void report(Health health) {
    health.register("limits", () -> Future.succeededFuture(status()));
  }

  private Status status() {
    long since = meters.sinceDegraded(System.nanoTime());
    boolean degraded = breaker.isOpen() || (since >= 0 && since < RECENT);
    return degraded
        ? Status.worse("calls are judged without redis, by what each limit says for that")
        : Status.good();
  }

  @Override
  public void close() {
    nodes.close();
  }
}
