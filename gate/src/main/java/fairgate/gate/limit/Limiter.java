package fairgate.gate.limit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.gate.limit.LimitCheck.RedisCheck;
import fairgate.gate.limit.LimitRule.OnFailure;
import fairgate.gate.limit.LimitScript.Answer;
import fairgate.gate.limit.LimitVerdict.Granted;
import fairgate.gate.limit.LimitVerdict.Refused;
import fairgate.gate.limit.LimitVerdict.Replayed;
import fairgate.gate.limit.LimitVerdict.Unavailable;
import fairgate.gate.limit.LimitVerdict.Violation;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Decides on calls by all limits that apply: a call counts in all of them or in none, on every
/// node alike.
///
/// Some decisions need no call to Redis and are still exact: a refused key until its time, and a
/// shared key while the node has a lease. Safe for use by any thread.
public final class Limiter {
  private static final Future<LimitVerdict> GRANTED = Future.succeededFuture(Granted.FOR_GOOD);
  private static final int MOST_SHARES = 100_000;

  private final LimitBatcher.Resources resources;
  private final FallbackLimiter shares = new FallbackLimiter(MOST_SHARES);
  private final Map<Thread, LimitBatcher> batchers = new ConcurrentHashMap<>();
  private final LimitBatcher common;
  private volatile Policy policy;

  Limiter(LimitBatcher.Resources resources, List<LimitRule> rules) {
    this.resources = resources;
    this.policy = new Policy(rules);
    this.common = new LimitBatcher(resources, resources.vertx().getOrCreateContext());
    resources.meters().unused(this::unused);
  }

  /// Calls that this node took in advance under the current limits and never granted.
  long unused() {
    return policy.unused();
  }

  /// A plan for one kind of call. Names of limits that are off, now or later, are ignored.
  ///
  /// @param route tells the keys of limits by route apart
  public LimitPlan plan(String route, List<String> names) {
    return new LimitPlan(route, names);
  }

  /// Replaces the limits. Caches of this node are dropped at once; counts in Redis stay, as far as
  /// the new limits count in the same way.
  public void replace(List<LimitRule> rules) {
    policy = new Policy(rules);
  }

  /// The current limits, and this node's caches under them.
  Policy policy() {
    return policy;
  }

  /// The clock of all waits.
  LongSupplier nanos() {
    return resources.nanos();
  }

  /// Counts a cached refusal in the metrics.
  void again(Refused refused) {
    resources.meters().remembered();
    refused.violations().forEach(violation -> resources.meters().refused(violation.rule()));
  }

  /// The dimensions of a plan's limits that are on.
  Set<Dimension> needs(LimitPlan plan) {
    return plan.needs(policy);
  }

  /// Decides on one call. The future never fails; it completes on the caller's event loop, if there
  /// is one.
  public Future<LimitVerdict> check(LimitPlan plan, LimitFacts facts) {
    LimitCheck call = LimitCheck.of(policy, plan, facts);
    long now = resources.nanos().getAsLong();
    List<Violation> against = call.known(now);
    if (!against.isEmpty()) {
      resources.meters().remembered();
      return Future.succeededFuture(refused(against));
    }
    if (call.takeLeased(now)) {
      resources.meters().leased();
      return GRANTED;
    }
    RedisCheck remaining = call.remaining();
    PendingCheck asked = new PendingCheck(call, remaining);
    if (resources.breaker().allows()) {
      batcher().ask(remaining, asked);
    } else {
      asked.lost();
    }
    return asked.verdict.future();
  }

  /// A call that waits for Redis, until it is known whether it was served.
  private final class PendingCheck implements LimitBatcher.Caller, Runnable {
    private final LimitCheck call;
    private final RedisCheck remaining;
    private final Promise<LimitVerdict> verdict = Promise.promise();
    private @Nullable CountedCalls receipt;
    private FallbackLimiter.@Nullable Grant share;
    private boolean isBack;

    PendingCheck(LimitCheck call, RedisCheck remaining) {
      this.call = call;
      this.remaining = remaining;
    }

    @Override
    public void answered(boolean granted, Answer answer) {
      if (granted) {
        resources.meters().granted();
        verdict.complete(new Granted(this));
      } else {
        call.giveBack();
        verdict.complete(against(remaining, answer));
      }
    }

    /// Redis counted the call; this may arrive after the timeout.
    @Override
    public synchronized void counted(CountedCalls counted) {
      if (isBack) {
        counted.giveBack();
      } else {
        receipt = counted;
      }
    }

    @Override
    public void lost() {
      LimitVerdict word = withoutRedis(call, remaining, this);
      if (!(word instanceof Granted)) {
        run();
      }
      verdict.complete(word);
    }

    /// Gives the call back.
    @Override
    public synchronized void run() {
      if (isBack) {
        return;
      }
      isBack = true;
      if (receipt != null) {
        receipt.giveBack();
      }
      if (share != null) {
        shares.giveBack(share, resources.nanos().getAsLong());
      }
    }
  }

  private LimitVerdict against(RedisCheck remaining, Answer answer) {
    List<Violation> violations = new ArrayList<>();
    for (int i = 0; i < remaining.rules().size(); i++) {
      if (answer.waitOf(i) > 0) {
        violations.add(new Violation(remaining.rules().get(i), answer.waitOf(i) * 1_000));
      }
    }
    if (violations.isEmpty()) {
      resources.meters().replayed();
      return new Replayed();
    }
    return refused(violations);
  }

  private LimitVerdict refused(List<Violation> violations) {
    violations.forEach(violation -> resources.meters().refused(violation.rule()));
    return new Refused(violations);
  }

  /// Decides by the failure policies of the limits. A nonce cannot be used without Redis.
  private LimitVerdict withoutRedis(LimitCheck call, RedisCheck remaining, PendingCheck asked) {
    long now = resources.nanos().getAsLong();
    boolean closed = remaining.once() != null;
    List<LimitRule> rules = new ArrayList<>();
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < remaining.rules().size(); i++) {
      LimitRule rule = remaining.rules().get(i);
      resources.meters().degraded(rule.onFailure().word(), now);
      closed |= rule.onFailure() == OnFailure.CLOSED;
      if (rule.onFailure() == OnFailure.LOCAL_SHARE) {
        rules.add(rule);
        keys.add(remaining.key(i));
      }
    }
    if (closed) {
      call.giveBack();
      return new Unavailable();
    }
    FallbackLimiter.Grant share = shares.take(rules, keys, resources.nodes().getAsInt(), now);
    long wait = share.waitNanos();
    if (wait == 0) {
      asked.share = share;
      return new Granted(asked);
    }
    call.giveBack();
    return refused(rules.stream().map(rule -> new Violation(rule, wait)).toList());
  }

  private LimitBatcher batcher() {
    Context context = Vertx.currentContext();
    if (context == null || !context.isEventLoopContext() || !Context.isOnEventLoopThread()) {
      return common;
    }
    Thread thread = Thread.currentThread();
    LimitBatcher batcher = batchers.get(thread);
    return batcher != null
        ? batcher
        : batchers.computeIfAbsent(thread, _ -> new LimitBatcher(resources, context));
  }

  /// Limits calls in this node's memory while Redis does not answer. Each node alive gets an equal
  /// share of a limit, at least one call, counted as a rate. Times are `System.nanoTime()`.
  static final class FallbackLimiter {
    private final Cache<String, long[]> idleAt;

    /// @param max keys to count; those left out for long are forgotten first, and start anew
    FallbackLimiter(int max) {
      this.idleAt = Caffeine.newBuilder().maximumSize(max).build();
    }

    /// The grant of one call.
    ///
    /// @param waitNanos until all limits would let it pass; 0 when it was granted
    /// @param idleThen when each key is idle without later calls
    record Grant(
        List<LimitRule> rules, List<String> keys, int nodes, long waitNanos, List<Long> idleThen) {}

    /// Gives a granted call back; called once per call. Has no effect after the calls have expired.
    synchronized void giveBack(Grant share, long now) {
      for (int i = 0; i < share.idleThen().size(); i++) {
        LimitRule rule = share.rules().get(i);
        long[] idle = idleAt.getIfPresent(share.keys().get(i));
        boolean given = CountedCalls.isGivenBack(rule, LimitScript.RuleNumbers.of(rule));
        if (given && idle != null && now < share.idleThen().get(i)) {
          idle[0] = Math.max(now, idle[0] - interval(rule, share.nodes()));
        }
      }
    }

    /// Counts one call in all of these limits or in none.
    synchronized Grant take(List<LimitRule> rules, List<String> keys, int nodes, long now) {
      long wait = 0;
      for (int i = 0; i < rules.size(); i++) {
        LimitRule rule = rules.get(i);
        long after = Math.max(now, idle(keys.get(i), now)) + interval(rule, nodes);
        wait = Math.max(wait, after - now - interval(rule, nodes) * burst(rule, nodes));
      }
      List<Long> idleThen = new ArrayList<>(rules.size());
      for (int i = 0; i < rules.size() && wait <= 0; i++) {
        long[] idle = idleAt.get(keys.get(i), _ -> new long[] {now});
        idle[0] = Math.max(now, idle[0]) + interval(rules.get(i), nodes);
        idleThen.add(idle[0]);
      }
      return new Grant(rules, keys, nodes, Math.max(0, wait), idleThen);
    }

    private long idle(String key, long now) {
      long[] idle = idleAt.getIfPresent(key);
      return idle == null ? now : idle[0];
    }

    private static long interval(LimitRule rule, int nodes) {
      return TimeUnit.SECONDS.toNanos(rule.seconds()) / rule.max() * nodes;
    }

    private static int burst(LimitRule rule, int nodes) {
      return Math.max(1, rule.burst() / nodes);
    }
  }
}
