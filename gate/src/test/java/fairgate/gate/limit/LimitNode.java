package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.CircuitBreaker;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// A node's limiter, and a clock for it that tests move.
final class LimitNode {
  /// What is added to the time the node goes by, nanoseconds.
  final AtomicLong ahead = new AtomicLong();

  final CircuitBreaker breaker;
  final Limiter limiter;
  final GiveBackQueue backs;
  private static final int PATIENCE = 60;
  private static final Duration BUDGET = Duration.ofSeconds(PATIENCE);

  private final Metrics metrics = new Metrics();
  private final Context home;

  /// A node for which no time passes unless a test says so.
  static LimitNode still(LimitRule... rules) {
    return new LimitNode(LimitWorld.VERTX, LimitWorld.redis(), () -> 0, BUDGET, List.of(rules));
  }

  LimitNode(
      Vertx vertx, RedisClient redis, LongSupplier nanos, Duration budget, List<LimitRule> rules) {
    this.home = vertx.getOrCreateContext();
    this.backs = new GiveBackQueue(vertx, new GiveBackScript(redis), System::nanoTime);
    LongSupplier now = () -> nanos.getAsLong() + ahead.get();
    this.breaker = new CircuitBreaker(5, Duration.ofMillis(100), Duration.ofMillis(500), now);
    this.limiter =
        new Limiter(
            new LimitBatcher.Resources(
                vertx,
                new LimitScript(redis),
                now,
                budget,
                breaker,
                new LimitMeters(metrics),
                backs),
            rules);
  }

  void pass(Duration time) {
    ahead.addAndGet(time.toNanos());
  }

  LimitVerdict check(LimitPlan plan, LimitFacts facts) {
    return await(limiter.check(plan, facts));
  }

  boolean grants(LimitPlan plan, LimitFacts facts) {
    return check(plan, facts) instanceof LimitVerdict.Granted;
  }

  /// Makes so many calls in one tick of an event loop, so that they wait together.
  List<LimitVerdict> together(int calls, LimitPlan plan, LimitFacts facts) {
    return together(Collections.nCopies(calls, () -> limiter.check(plan, facts)));
  }

  /// Makes these calls in one tick of an event loop.
  List<LimitVerdict> together(List<Supplier<Future<LimitVerdict>>> calls) {
    CompletableFuture<List<Future<LimitVerdict>>> made = new CompletableFuture<>();
    home.runOnContext(_ -> made.complete(calls.stream().map(Supplier::get).toList()));
    List<LimitVerdict> verdicts = new ArrayList<>();
    for (Future<LimitVerdict> one : made.orTimeout(PATIENCE, TimeUnit.SECONDS).join()) {
      verdicts.add(await(one));
    }
    return verdicts;
  }

  private static LimitVerdict await(Future<LimitVerdict> verdict) {
    return verdict
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(PATIENCE, TimeUnit.SECONDS)
        .join();
  }

  static long granted(List<LimitVerdict> verdicts) {
    return verdicts.stream().filter(LimitVerdict.Granted.class::isInstance).count();
  }

  /// Script runs so far.
  long redisCalls() {
    return (long) count("fairgate.limit.redis.calls");
  }

  /// The value of a counter, all tags together.
  double count(String name, String... tags) {
    return metrics.registry().find(name).tags(tags).counters().stream()
        .mapToDouble(Counter::count)
        .sum();
  }

  void degradedNever() {
    assertThat(count("fairgate.limit.degraded")).isZero();
  }
}
