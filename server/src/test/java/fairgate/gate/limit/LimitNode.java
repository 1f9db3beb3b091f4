package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.limit.node.Company;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisBreaker;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A node's limiter, and a clock for it that tests move.
final class LimitNode {
  /// What is added to the time the node goes by, nanoseconds.
  final AtomicLong ahead = new AtomicLong();

  /// How many nodes it takes to be alive.
  final AtomicInteger alive = new AtomicInteger(1);

  /// Who counts what is over within a second.
  volatile Company.Counts counts = Company.Counts.REDIS;

  final RedisBreaker breaker = new RedisBreaker();
  final Limiter limiter;
  private static final int PATIENCE = 20;
  private static final Duration BUDGET = Duration.ofSeconds(10);

  private final Metrics metrics = new Metrics();
  private final Context home;

  /// A node for which no time passes unless a test says so.
  static LimitNode still(LimitRule... rules) {
    return new LimitNode(LimitWorld.VERTX, LimitWorld.redis(), () -> 0, BUDGET, List.of(rules));
  }

  LimitNode(
      Vertx vertx, RedisClient redis, LongSupplier nanos, Duration budget, List<LimitRule> rules) {
    this(vertx, redis, nanos, budget, rules, null);
  }

  /// @param told who shares the limits; null where the test says it
  LimitNode(
      Vertx vertx,
      RedisClient redis,
      LongSupplier nanos,
      Duration budget,
      List<LimitRule> rules,
      @Nullable Company told) {
    this.home = vertx.getOrCreateContext();
    this.limiter =
        new Limiter(
            new LimitLane.Tools(
                vertx,
                new LimitScript(redis),
                () -> nanos.getAsLong() + ahead.get(),
                budget,
                breaker,
                new LimitMeters(metrics),
                new OwnRates(),
                told == null ? company() : told),
            rules);
  }

  private Company company() {
    return new Company() {
      @Override
      public int alive() {
        return alive.get();
      }

      @Override
      public Counts at(long now) {
        return counts;
      }
    };
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
