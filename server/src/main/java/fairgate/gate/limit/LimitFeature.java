package fairgate.gate.limit;

import fairgate.gate.limit.node.Nodes;
import fairgate.kernel.Ids;
import fairgate.platform.http.Guard;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Health.Status;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisBreaker;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The limits, wired: a guard for the web server, and the limiter for features with limits of their
/// own.
public final class LimitFeature implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LimitFeature.class);

  /// Two would do where Redis answers.
  private static final long SETTLE_S = 4;

  private static final long RECENT = TimeUnit.SECONDS.toNanos(10);

  private final Limiter limiter;
  private final Guard guard;
  private final Nodes nodes;
  private final RedisBreaker breaker;
  private final LimitMeters meters;

  private LimitFeature(
      Limiter limiter, Guard guard, Nodes nodes, RedisBreaker breaker, LimitMeters meters) {
    this.limiter = limiter;
    this.guard = guard;
    this.nodes = nodes;
    this.breaker = breaker;
    this.meters = meters;
  }

  /// What the limits are built on.
  ///
  /// @param node this node's name, which no other has
  /// @param inspectors asked in this order, before the limits
  public record Parts(
      Vertx vertx,
      RedisClient redis,
      Ids ids,
      Metrics metrics,
      String node,
      List<Inspector> inspectors) {}

  public static LimitFeature wire(LimitConfig config, Parts parts) {
    LimitMeters meters = new LimitMeters(parts.metrics());
    RedisBreaker breaker = new RedisBreaker();
    Nodes nodes = nodes(parts);
    Limiter limiter =
        new Limiter(
            new LimitLane.Tools(
                parts.vertx(),
                new LimitScript(parts.redis()),
                System::nanoTime,
                config.callBudget(),
                breaker,
                meters,
                new OwnRates(),
                nodes),
            config.rules());
    Slots requests = new Slots(config.concurrent());
    Slots streams = new Slots(config.streams());
    Guard guard =
        new LimitGuard(
            limiter,
            new LimitReplies(parts.ids(), most -> ThreadLocalRandom.current().nextInt(most)),
            requests,
            streams,
            parts.inspectors());
    parts.metrics().gauge("fairgate.limit.nodes", "Nodes that share the limits", nodes::alive);
    parts
        .metrics()
        .gauge(
            "fairgate.limit.concurrent.highest",
            "The most requests one address has running on this node",
            requests::highest);
    return new LimitFeature(limiter, guard, nodes, breaker, meters);
  }

  /// Returns once no other node counts by itself.
  private static Nodes nodes(Parts parts) {
    String tag = parts.redis().tag(LimitKeys.TAG);
    List<String> keys = List.of(tag + LimitKeys.NODES, tag + LimitKeys.ALONE);
    Nodes nodes = new Nodes(parts.vertx(), parts.redis(), keys, parts.node(), System::nanoTime);
    try {
      var _ = nodes.settled().await(SETTLE_S, TimeUnit.SECONDS);
    } catch (TimeoutException _) {
      LOG.warn("redis did not say in time that this node may count; it counts all the same");
    }
    return nodes;
  }

  /// For features that have more to limit than their routes.
  public Limiter limiter() {
    return limiter;
  }

  /// Stands before the routes.
  public Guard guard() {
    return guard;
  }

  /// Lets operators see when calls are judged without Redis.
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
