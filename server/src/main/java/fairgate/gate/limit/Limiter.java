package fairgate.gate.limit;

import fairgate.gate.limit.Call.Open;
import fairgate.gate.limit.LimitRule.OnFailure;
import fairgate.gate.limit.LimitScript.Answer;
import fairgate.gate.limit.LimitVerdict.Granted;
import fairgate.gate.limit.LimitVerdict.Refused;
import fairgate.gate.limit.LimitVerdict.Replayed;
import fairgate.gate.limit.LimitVerdict.Unavailable;
import fairgate.gate.limit.LimitVerdict.Violation;
import fairgate.gate.limit.node.Company.Counts;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/// Judges calls by all limits that apply to them, all or nothing, on every node alike.
///
/// Answers that memory already knows cost no call to Redis and are exact all the same: a refused
/// key until its time, a shared key from the slice the node has taken, and what is over within a
/// second while no other node is there. Safe to use from any thread.
public final class Limiter {
  private static final LimitVerdict PASSES = new Granted();
  private static final Future<LimitVerdict> GRANTED = Future.succeededFuture(PASSES);
  private static final int MOST_SHARES = 100_000;

  private final LimitLane.Tools tools;
  private final LocalShare shares = new LocalShare(MOST_SHARES);
  private final Map<Thread, LimitLane> lanes = new ConcurrentHashMap<>();
  private final LimitLane common;
  private volatile Policy policy;

  Limiter(LimitLane.Tools tools, List<LimitRule> rules) {
    this.tools = tools;
    this.policy = new Policy(rules);
    this.common = new LimitLane(tools, tools.vertx().getOrCreateContext());
    tools.meters().unused(this::unused);
  }

  /// How many calls this node took in advance, under the limits in force, and granted to nobody.
  long unused() {
    return policy.unused();
  }

  /// The limits of these names, for calls of one kind. Names that are off, now or later, are passed
  /// over.
  ///
  /// @param route tells the keys of limits by route apart
  public LimitPlan plan(String route, List<String> names) {
    return new LimitPlan(route, names);
  }

  /// Puts other limits in force. What this node remembers under the old ones is dropped at once;
  /// what Redis has counted stands, as far as the new ones can have counted it.
  public void replace(List<LimitRule> rules) {
    policy = new Policy(rules);
  }

  /// The limits in force, and what this node has concluded under them.
  Policy policy() {
    return policy;
  }

  /// The clock all waits are told by.
  LongSupplier nanos() {
    return tools.nanos();
  }

  /// Counts a refusal that is told once more.
  void again(Refused refused) {
    tools.meters().remembered();
    refused.violations().forEach(violation -> tools.meters().refused(violation.rule()));
  }

  /// What the limits of a plan count by, those that are on.
  Set<Dimension> needs(LimitPlan plan) {
    return plan.needs(policy);
  }

  /// Judges one call. The future never fails; it completes on the caller's event loop, if it has
  /// one.
  public Future<LimitVerdict> check(LimitPlan plan, LimitFacts facts) {
    Call call = Call.of(policy, plan, facts);
    long now = tools.nanos().getAsLong();
    boolean alone = tools.company().at(now) == Counts.NODE;
    if (alone) {
      call.leaveToOwn();
    }
    List<Violation> against = call.known(now);
    if (alone && against.isEmpty()) {
      against = call.takeOwn(tools.own(), now);
    }
    if (!against.isEmpty()) {
      tools.meters().remembered();
      return Future.succeededFuture(refused(against));
    }
    if (call.takeSlices(now)) {
      if (alone) {
        tools.meters().own();
      } else {
        tools.meters().leased();
      }
      return GRANTED;
    }
    Open open = call.open();
    if (!tools.breaker().allows(now)) {
      return Future.succeededFuture(withoutRedis(call, open));
    }
    Asked asked = new Asked(call, open);
    lane().ask(open, asked);
    return asked.verdict.future();
  }

  /// A call that Redis is asked about.
  private final class Asked implements LimitLane.Caller {
    private final Call call;
    private final Open open;
    private final Promise<LimitVerdict> verdict = Promise.promise();

    Asked(Call call, Open open) {
      this.call = call;
      this.open = open;
    }

    @Override
    public void answered(boolean granted, Answer answer) {
      if (granted) {
        tools.meters().granted();
        verdict.complete(PASSES);
      } else {
        call.giveBack(tools.nanos().getAsLong());
        verdict.complete(against(open, answer));
      }
    }

    @Override
    public void lost() {
      verdict.complete(withoutRedis(call, open));
    }
  }

  private LimitVerdict against(Open open, Answer answer) {
    List<Violation> violations = new ArrayList<>();
    for (int i = 0; i < open.rules().size(); i++) {
      if (answer.waitOf(i) > 0) {
        violations.add(new Violation(open.rules().get(i), answer.waitOf(i) * 1_000));
      }
    }
    if (violations.isEmpty()) {
      tools.meters().replayed();
      return new Replayed();
    }
    return refused(violations);
  }

  private LimitVerdict refused(List<Violation> violations) {
    violations.forEach(violation -> tools.meters().refused(violation.rule()));
    return new Refused(violations);
  }

  /// By what each limit says for this case; what may be used once may not be used now.
  private LimitVerdict withoutRedis(Call call, Open open) {
    long now = tools.nanos().getAsLong();
    boolean closed = open.once() != null;
    List<LimitRule> rules = new ArrayList<>();
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < open.rules().size(); i++) {
      LimitRule rule = open.rules().get(i);
      tools.meters().degraded(rule.onFailure().word(), now);
      closed |= rule.onFailure() == OnFailure.CLOSED;
      if (rule.onFailure() == OnFailure.LOCAL_SHARE) {
        rules.add(rule);
        keys.add(open.key(i));
      }
    }
    if (closed) {
      call.giveBack(tools.nanos().getAsLong());
      return new Unavailable();
    }
    long wait = rules.isEmpty() ? 0 : shares.take(rules, keys, tools.company().alive(), now);
    if (wait == 0) {
      return PASSES;
    }
    call.giveBack(tools.nanos().getAsLong());
    return refused(rules.stream().map(rule -> new Violation(rule, wait)).toList());
  }

  private LimitLane lane() {
    Context context = Vertx.currentContext();
    if (context == null || !context.isEventLoopContext() || !Context.isOnEventLoopThread()) {
      return common;
    }
    Thread thread = Thread.currentThread();
    LimitLane lane = lanes.get(thread);
    return lane != null ? lane : lanes.computeIfAbsent(thread, _ -> new LimitLane(tools, context));
  }
}
