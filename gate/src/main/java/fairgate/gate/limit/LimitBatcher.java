package fairgate.gate.limit;

import fairgate.gate.limit.GiveBackScript.Row;
import fairgate.gate.limit.LimitScript.Answer;
import fairgate.gate.limit.LimitScript.Item;
import fairgate.gate.limit.LimitScript.Limit;
import fairgate.gate.limit.LimitScript.Outcome;
import fairgate.gate.limit.LimitScript.RuleNumbers;
import fairgate.kernel.CircuitBreaker;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Batches calls to `limit.lua` on one event loop. Calls for the same limits become one item that
/// may be granted in part; different items share a script run.
///
/// At most two runs are in flight; calls that arrive meanwhile join the next run, so batches grow
/// with the load. A run without an answer within the call budget is abandoned and never repeated:
/// whether it was counted is unknown.
final class LimitBatcher {
  private static final int IN_FLIGHT = 2;
  private static final int MOST_ITEMS = 128;
  private static final int MOST_WAITING = 20_000;

  /// The first call of a loop opens its connection.
  private static final int FIRST_BUDGETS = 20;

  /// How late an answer may arrive and still be used, ms. The script counts nothing after that.
  private static final long LATE_MS = 1_500;

  private final Resources resources;
  private final RedisClock clock = new RedisClock();
  private final Context home;
  private final Map<LimitCheck, Group> groups = new LinkedHashMap<>();
  private int waiting;
  private int inFlight;
  private boolean scheduled;
  private boolean warm;

  LimitBatcher(Resources resources, Context home) {
    this.resources = resources;
    this.home = home;
  }

  /// Resources shared by all batchers.
  ///
  /// @param budget how long a run may take
  record Resources(
      Vertx vertx,
      LimitScript script,
      LongSupplier nanos,
      Duration budget,
      CircuitBreaker breaker,
      LimitMeters meters,
      GiveBackQueue backs) {}

  /// Receives the result of one call, once, on the batcher's loop.
  interface Caller {
    /// Redis answered.
    ///
    /// @param answer to all calls that were asked for together
    void answered(boolean granted, Answer answer);

    /// Redis has counted the call. Called before `answered`, or at any time after `lost`.
    ///
    /// @param receipt to take it back by
    void counted(CountedCalls receipt);

    /// The result is unknown.
    void lost();
  }

  private record Group(LimitCheck check, List<Caller> callers) {}

  /// Queues one call. Callable from any thread.
  void ask(LimitCheck check, Caller caller) {
    if (!add(check, caller)) {
      caller.lost();
    }
  }

  private synchronized boolean add(LimitCheck check, Caller caller) {
    if (waiting >= MOST_WAITING) {
      return false;
    }
    waiting++;
    Group group = groups.get(check);
    if (group == null) {
      group = new Group(check, new ArrayList<>(1));
      groups.put(check, group);
    }
    group.callers().add(caller);
    flushSoon();
    return true;
  }

  /// Scheduled after the handlers of the current tick, which may add more calls.
  private void flushSoon() {
    if (!scheduled && inFlight < IN_FLIGHT && !groups.isEmpty()) {
      scheduled = true;
      home.runOnContext(_ -> flush());
    }
  }

  private void flush() {
    List<Group> batch = next();
    if (!batch.isEmpty()) {
      send(batch);
    }
  }

  /// Takes the next batch. A batch has one policy only: two would count one key by two rules.
  private synchronized List<Group> next() {
    scheduled = false;
    List<Group> batch = new ArrayList<>();
    Iterator<Group> all = groups.values().iterator();
    while (all.hasNext() && batch.size() < MOST_ITEMS) {
      Group group = all.next();
      if (!batch.isEmpty() && !batch.getFirst().check().policy().equals(group.check().policy())) {
        break;
      }
      batch.add(group);
      waiting -= group.callers().size();
      all.remove();
    }
    inFlight += batch.isEmpty() ? 0 : 1;
    flushSoon();
    return batch;
  }

  private void send(List<Group> batch) {
    long sent = resources.nanos().getAsLong();
    List<Item> items = new ArrayList<>(batch.size());
    for (Group group : batch) {
      items.add(item(group));
    }
    Run run = new Run(batch, sent);
    long budget = resources.budget().toMillis() * (warm ? 1 : FIRST_BUDGETS);
    long timer = resources.vertx().setTimer(budget, _ -> run.end(null));
    resources
        .script()
        .run(items, clock.latest(sent, Math.max(budget, LATE_MS)))
        .onComplete(
            done -> {
              boolean _ = resources.vertx().cancelTimer(timer);
              run.end(done.succeeded() ? done.result() : null);
            });
  }

  /// Estimates the time of Redis from its answers.
  private static final class RedisClock {
    private long micros;
    private long asked;

    /// Records the time that Redis reported for a run.
    synchronized void tells(long time, long sentNanos) {
      micros = time;
      asked = sentNanos;
    }

    /// The latest possible time of Redis in `millis` from now, µs; 0 when nothing is known.
    synchronized long latest(long now, long millis) {
      long since = TimeUnit.NANOSECONDS.toMicros(now - asked);
      return micros == 0 ? 0 : micros + since + TimeUnit.MILLISECONDS.toMicros(millis);
    }
  }

  /// A run in flight. Ends on the batcher's loop with its answer or with its timeout, whichever
  /// comes first.
  private final class Run {
    private final List<Group> batch;
    private final long sent;
    private final AtomicBoolean over = new AtomicBoolean();

    Run(List<Group> batch, long sent) {
      this.batch = batch;
      this.sent = sent;
    }

    void end(@Nullable Outcome outcome) {
      boolean first = over.compareAndSet(false, true);
      if (outcome != null) {
        clock.tells(outcome.micros(), sent);
        count(batch, outcome);
      }
      if (!first) {
        return;
      }
      if (outcome == null || outcome.isLate()) {
        failed(batch);
      } else {
        answered(batch, outcome.answers());
      }
    }
  }

  /// Reports the count to all counted callers, including those that have timed out.
  private void count(List<Group> batch, Outcome outcome) {
    for (int i = 0; i < outcome.answers().size(); i++) {
      Group group = batch.get(i);
      Answer answer = outcome.answers().get(i);
      CountedCalls receipt =
          new CountedCalls(group.check(), answer, outcome.micros(), resources.backs());
      int granted = Math.min(answer.granted(), group.callers().size());
      for (int place = 0; place < granted; place++) {
        group.callers().get(place).counted(receipt);
      }
    }
  }

  private static Item item(Group group) {
    LimitCheck check = group.check();
    List<LimitRule> rules = check.rules();
    List<Limit> limits = new ArrayList<>(rules.size() + 1);
    for (int i = 0; i < rules.size(); i++) {
      limits.add(new Limit(check.key(i), check.policy().numbers(rules.get(i))));
    }
    if (check.once() != null) {
      limits.add(Limit.of(check.once()));
    }
    return new Item(group.callers().size(), limits);
  }

  private void answered(List<Group> batch, List<Answer> answers) {
    warm = true;
    boolean _ = resources.breaker().succeeded();
    resources.meters().asked(batch.size());
    landed();
    for (int i = 0; i < batch.size(); i++) {
      settle(batch.get(i), answers.get(i));
    }
  }

  private static void settle(Group group, Answer answer) {
    int place = 0;
    for (Caller caller : group.callers()) {
      if (answer.granted() < 0) {
        caller.lost();
      } else {
        caller.answered(place < answer.granted(), answer);
      }
      place++;
    }
  }

  private void failed(List<Group> batch) {
    boolean _ = resources.breaker().failed();
    resources.meters().failed();
    landed();
    List<Group> lost = new ArrayList<>(batch);
    if (resources.breaker().isOpen()) {
      lost.addAll(drain());
    }
    lost.forEach(group -> group.callers().forEach(Caller::lost));
  }

  private synchronized void landed() {
    inFlight--;
    flushSoon();
  }

  private synchronized List<Group> drain() {
    List<Group> all = List.copyOf(groups.values());
    groups.clear();
    waiting = 0;
    return all;
  }

  /// The calls that one run of `limit.lua` counted for one item. A call that is answered 503, or
  /// has done nothing, is given back, once. Safe for use by any thread.
  ///
  /// Only limits that last longer than a second give back: the others expire before a client that
  /// respects `Retry-After` returns, and they hold off a flood meanwhile.
  static final class CountedCalls {
    private final LimitCheck check;
    private final Answer answer;
    private final long micros;
    private final GiveBackQueue backs;
    private int kept;

    /// @param micros the time of the run by Redis, µs
    CountedCalls(LimitCheck check, Answer answer, long micros, GiveBackQueue backs) {
      this.check = check;
      this.answer = answer;
      this.micros = micros;
      this.backs = backs;
      this.kept = answer.granted();
    }

    /// Gives one call back; called once per call.
    synchronized void giveBack() {
      kept--;
      for (int i = 0; i < check.rules().size(); i++) {
        LimitRule rule = check.rules().get(i);
        RuleNumbers numbers = check.policy().numbers(rule);
        if (numbers.isBrief()) {
          continue;
        }
        String key = check.key(i);
        Row row =
            rule.semantics() == LimitRule.Semantics.WINDOW
                ? new Row.Window(key, micros, kept)
                : new Row.Rate(
                    key, micros + answer.owed(i) / numbers.q(), numbers.p(), numbers.q());
        backs.add(row, numbers.lifeMicros());
      }
    }
  }
}
