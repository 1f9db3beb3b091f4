package fairgate.gate.limit;

import fairgate.gate.limit.LimitGuard.ConcurrencyLimit;
import fairgate.kernel.CircuitBreaker;
import fairgate.platform.http.Guard;
import fairgate.platform.http.Request;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Health.Status;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  public static LimitFeature wire(Config config, Dependencies parts) {
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

  /// The limits of this installation.
  ///
  /// @param rules the limits in force
  /// @param concurrent requests one address may have running on a node
  /// @param streams event streams one address may have open on a node
  /// @param callBudget how long Redis may take to judge a call
  public record Config(List<LimitRule> rules, int concurrent, int streams, Duration callBudget) {
    /// Most requests that one address may have running: `max_conn_per_ip` of the seed document.
    public static final int CONCURRENT = 10;

    public Config {
      rules = List.copyOf(rules);
    }

    public static Config defaults() {
      return new Config(
          LimitDefaults.with(Map.of()), CONCURRENT, CONCURRENT, Duration.ofMillis(250));
    }
  }

  /// A check of the whole request before its limits are judged, such as bans and signatures.
  /// Skipped when a limit of the address is already known to be used up. Runs on the event loop and
  /// must not block.
  @FunctionalInterface
  public interface Inspector {
    /// Adds facts, such as the account or a nonce that is used up with the limits.
    LimitFacts inspect(Request request, LimitFacts facts);
  }

  /// What the limits know of a caller besides its address. Called on the event loop; must not
  /// block.
  public interface Callers {
    /// Everybody is a guest and counts by address.
    Callers GUESTS =
        new Callers() {
          @Override
          public boolean isAllowed(Request request) {
            return false;
          }

          @Override
          public boolean hasOperatorToken(Request request) {
            return false;
          }

          @Override
          public Future<Optional<String>> account(Request request) {
            return GUEST;
          }
        };

    Future<Optional<String>> GUEST = Future.succeededFuture(Optional.empty());

    /// Whether the caller is on the allow-list. It then counts in no limit by address, network or
    /// provider, and in no number of running requests.
    boolean isAllowed(Request request);

    /// Whether a call of the admin API has the shared token of operators. It then counts in no
    /// number of running requests, so that operators can look while their calls hang.
    boolean hasOperatorToken(Request request);

    /// The id of the account by which a signed-in caller is counted; empty for a guest. May be a
    /// minute old, so it permits nothing. Already complete for a guest, for a made-up token and for
    /// a caller seen lately. Fails if it cannot be found out.
    Future<Optional<String>> account(Request request);
  }
}
