package fairgate.gate.limit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.gate.limit.LimitBatcher.CountedCalls;
import fairgate.gate.limit.LimitPlan.Policy;
import fairgate.gate.limit.LimitRule.Dimension;
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
import org.jspecify.annotations.Nullable;

/// Decides on calls by all limits that apply: a call counts in all of them or in none, on every
/// node alike. Redis decides, except on calls whose refusal is cached. Safe for use by any thread.
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
  }

  /// A plan for one kind of call. Names of limits that are off, now or later, are ignored.
  ///
  /// @param route tells the keys of limits by route apart
  public LimitPlan plan(String route, List<String> names) {
    return new LimitPlan(route, names);
  }

  /// Replaces the limits. Cached refusals are dropped at once; counts in Redis stay, as far as the
  /// new limits count in the same way.
  public void replace(List<LimitRule> rules) {
    policy = new Policy(rules);
  }

  /// The cached refusal of all calls from an address, counted in the metrics; null when there is
  /// none.
  ///
  /// @param ip as in [LimitFacts]
  /// @param account null for the guests at the address
  @Nullable Refused cached(LimitPlan plan, String ip, @Nullable String account) {
    Refused refused = policy.refusals().find(plan, ip, account, resources.nanos().getAsLong());
    if (refused != null) {
      again(refused);
    }
    return refused;
  }

  private void again(Refused refused) {
    resources.meters().remembered();
    count(refused);
  }

  Set<Dimension> needs(LimitPlan plan) {
    return plan.needs(policy);
  }

  /// Decides on one call. The future never fails; it completes on the caller's event loop, if there
  /// is one.
  public Future<LimitVerdict> check(LimitPlan plan, LimitFacts facts) {
    Policy current = policy;
    long now = resources.nanos().getAsLong();
    LimitCheck check = LimitCheck.of(current, plan, facts);
    if (check.isEmpty()) {
      return GRANTED;
    }
    Refused refused = current.refusals().find(plan, facts.ip(), facts.account(), now);
    if (refused == null) {
      refused = current.refusals().find(plan, check, now);
    }
    if (refused != null) {
      again(refused);
      return Future.succeededFuture(refused);
    }
    PendingCheck pending = new PendingCheck(check, plan, facts, now);
    if (resources.breaker().allows()) {
      batcher().ask(check, pending);
    } else {
      pending.lost();
    }
    return pending.verdict.future();
  }

  /// A call that waits for Redis, until it is known whether it was served.
  private final class PendingCheck implements LimitBatcher.Caller, Runnable {
    private final LimitCheck check;
    private final LimitPlan plan;
    private final LimitFacts facts;
    private final long since;
    private final Promise<LimitVerdict> verdict = Promise.promise();
    private @Nullable CountedCalls receipt;
    private FallbackLimiter.@Nullable Grant share;
    private boolean isBack;

    PendingCheck(LimitCheck check, LimitPlan plan, LimitFacts facts, long since) {
      this.check = check;
      this.plan = plan;
      this.facts = facts;
      this.since = since;
    }

    @Override
    public void answered(boolean granted, Answer answer) {
      if (granted) {
        resources.meters().granted();
        verdict.complete(new Granted(this));
      } else {
        verdict.complete(refusal(answer));
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
      LimitVerdict word = withoutRedis();
      if (!(word instanceof Granted)) {
        run();
      }
      verdict.complete(word);
    }

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

    private LimitVerdict refusal(Answer answer) {
      List<Violation> violations = new ArrayList<>();
      for (int i = 0; i < check.rules().size(); i++) {
        if (answer.waitOf(i) > 0) {
          violations.add(new Violation(check.rules().get(i), answer.waitOf(i) * 1_000));
        }
      }
      if (violations.isEmpty()) {
        resources.meters().replayed();
        return new Replayed();
      }
      return refused(violations);
    }

    private Refused refused(List<Violation> violations) {
      Refused refused = new Refused(violations);
      count(refused);
      check.policy().refusals().note(plan, facts, check, refused, since);
      return refused;
    }

    /// Decides by the failure policies of the limits. A nonce cannot be used without Redis.
    private LimitVerdict withoutRedis() {
      long now = resources.nanos().getAsLong();
      boolean closed = check.once() != null;
      List<LimitRule> rules = new ArrayList<>();
      List<String> keys = new ArrayList<>();
      for (int i = 0; i < check.rules().size(); i++) {
        LimitRule rule = check.rules().get(i);
        resources.meters().degraded(rule.onFailure().word(), now);
        closed |= rule.onFailure() == OnFailure.CLOSED;
        if (rule.onFailure() == OnFailure.LOCAL_SHARE) {
          rules.add(rule);
          keys.add(check.key(i));
        }
      }
      if (closed) {
        return new Unavailable();
      }
      FallbackLimiter.Grant grant = shares.take(rules, keys, now);
      if (!grant.violations().isEmpty()) {
        return refused(grant.violations());
      }
      share = grant;
      return new Granted(this);
    }
  }

  private void count(Refused refused) {
    refused.violations().forEach(violation -> resources.meters().refused(violation.rule()));
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

  /// Limits calls in this node's memory while Redis does not answer, as rates. Times are
  /// `System.nanoTime()`.
  static final class FallbackLimiter {
    private final Cache<String, long[]> idleAt;

    /// @param max keys to count; those left out for long are forgotten first, and start anew
    FallbackLimiter(int max) {
      this.idleAt = Caffeine.newBuilder().maximumSize(max).build();
    }

    /// The grant of one call.
    ///
    /// @param violations every limit in its way; empty when it was granted
    /// @param idleThen when each key is idle without later calls
    record Grant(
        List<LimitRule> rules,
        List<String> keys,
        List<Violation> violations,
        List<Long> idleThen) {}

    /// Gives a granted call back; called once per call. Has no effect after the calls have expired.
    synchronized void giveBack(Grant share, long now) {
      for (int i = 0; i < share.idleThen().size(); i++) {
        LimitRule rule = share.rules().get(i);
        long[] idle = idleAt.getIfPresent(share.keys().get(i));
        boolean given = !LimitScript.RuleNumbers.of(rule).isBrief();
        if (given && idle != null && now < share.idleThen().get(i)) {
          idle[0] = Math.max(now, idle[0] - interval(rule));
        }
      }
    }

    /// Counts one call in all of these limits or in none.
    synchronized Grant take(List<LimitRule> rules, List<String> keys, long now) {
      List<Violation> violations = new ArrayList<>();
      for (int i = 0; i < rules.size(); i++) {
        LimitRule rule = rules.get(i);
        long after = Math.max(now, idle(keys.get(i), now)) + interval(rule);
        long wait = after - now - interval(rule) * rule.burst();
        if (wait > 0) {
          violations.add(new Violation(rule, wait));
        }
      }
      List<Long> idleThen = new ArrayList<>(rules.size());
      for (int i = 0; i < rules.size() && violations.isEmpty(); i++) {
        long[] idle = idleAt.get(keys.get(i), _ -> new long[] {now});
        idle[0] = Math.max(now, idle[0]) + interval(rules.get(i));
        idleThen.add(idle[0]);
      }
      return new Grant(rules, keys, violations, idleThen);
    }

    private long idle(String key, long now) {
      long[] idle = idleAt.getIfPresent(key);
      return idle == null ? now : idle[0];
    }

    private static long interval(LimitRule rule) {
      return TimeUnit.SECONDS.toNanos(rule.seconds()) / rule.max();
    }
  }
}
