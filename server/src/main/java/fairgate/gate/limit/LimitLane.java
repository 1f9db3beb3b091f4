package fairgate.gate.limit;

import fairgate.gate.limit.Call.Open;
import fairgate.gate.limit.LimitScript.Answer;
import fairgate.gate.limit.LimitScript.Item;
import fairgate.gate.limit.LimitScript.Limit;
import fairgate.gate.limit.LimitScript.Terms;
import fairgate.gate.limit.node.Company;
import fairgate.gate.limit.node.Company.Counts;
import fairgate.platform.redis.RedisBreaker;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Asks Redis on one event loop. Calls that wait for the same limits are asked for together, as one
/// item that may be granted in part; different items share a script run.
///
/// What gathers while two runs are under way goes with the next, so runs grow with the load and an
/// idle server waits for nothing. A run that has no answer within the call budget is given up and
/// never repeated, for what it did is unknown.
final class LimitLane {
  private static final int IN_FLIGHT = 2;
  private static final int MOST_ITEMS = 128;
  private static final int MOST_WAITING = 20_000;

  /// A loop's first call opens its connection.
  private static final int FIRST_BUDGETS = 20;

  private final Tools tools;
  private final Context home;
  private final Map<Open, Group> groups = new LinkedHashMap<>();
  private int waiting;
  private int inFlight;
  private boolean scheduled;
  private boolean warm;

  LimitLane(Tools tools, Context home) {
    this.tools = tools;
    this.home = home;
  }

  /// What all lanes share.
  ///
  /// @param budget how long a run may take
  /// @param own what this node counts by itself
  /// @param company who shares the limits
  record Tools(
      Vertx vertx,
      LimitScript script,
      LongSupplier nanos,
      Duration budget,
      RedisBreaker breaker,
      LimitMeters meters,
      OwnRates own,
      Company company) {}

  /// Who waits for an answer. Told on the lane's loop, once.
  interface Caller {
    /// What Redis said.
    ///
    /// @param answer to all calls that were asked for together
    void answered(boolean granted, Answer answer);

    /// Nothing is known of it.
    void lost();
  }

  /// Calls that count in the same limits.
  private record Group(Open open, List<Caller> callers) {}

  /// Asks for one call; from any thread.
  void ask(Open open, Caller caller) {
    if (!add(open, caller)) {
      caller.lost();
    }
  }

  private synchronized boolean add(Open open, Caller caller) {
    if (waiting >= MOST_WAITING) {
      return false;
    }
    waiting++;
    Group group = groups.get(open);
    if (group == null) {
      group = new Group(open, new ArrayList<>(1));
      groups.put(open, group);
    }
    group.callers().add(caller);
    flushSoon();
    return true;
  }

  /// Runs after the handlers of this tick, which may add more.
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

  /// Two policies never meet in one run, for they would count one key by two rules.
  private synchronized List<Group> next() {
    scheduled = false;
    List<Group> batch = new ArrayList<>();
    Iterator<Group> all = groups.values().iterator();
    while (all.hasNext() && batch.size() < MOST_ITEMS) {
      Group group = all.next();
      if (!batch.isEmpty() && !batch.getFirst().open().policy().equals(group.open().policy())) {
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
    long sent = tools.nanos().getAsLong();
    boolean both = tools.company().at(sent) == Counts.BOTH;
    List<Item> items = new ArrayList<>(batch.size());
    for (Group group : batch) {
      items.add(item(group, sent, both));
    }
    Run run = new Run(batch, items, sent);
    long budget = tools.budget().toMillis() * (warm ? 1 : FIRST_BUDGETS);
    long timer = tools.vertx().setTimer(budget, _ -> run.end(null));
    tools
        .script()
        .run(items, both)
        .onComplete(
            done -> {
              boolean _ = tools.vertx().cancelTimer(timer);
              run.end(done.succeeded() ? done.result() : null);
            });
  }

  /// A run under way. Ends on the lane's loop: with its answers or when its time is up, whichever
  /// comes first.
  private final class Run {
    private final List<Group> batch;
    private final List<Item> items;
    private final long sent;
    private final AtomicBoolean over = new AtomicBoolean();

    Run(List<Group> batch, List<Item> items, long sent) {
      this.batch = batch;
      this.items = items;
      this.sent = sent;
    }

    void end(@Nullable List<Answer> answers) {
      if (!over.compareAndSet(false, true)) {
        return;
      }
      if (answers == null) {
        failed(batch);
      } else {
        answered(batch, items, answers, sent);
      }
    }
  }

  /// @param both whether this node has counted by itself, or is about to
  private Item item(Group group, long now, boolean both) {
    Open open = group.open();
    List<LimitRule> rules = open.rules();
    int wanted = group.callers().size();
    List<Limit> limits = new ArrayList<>(rules.size() + 1);
    for (int i = 0; i < rules.size(); i++) {
      LimitRule rule = rules.get(i);
      String key = open.key(i);
      int advance = rule.isLeased() ? open.policy().slice(rule, key, now).advance(wanted, now) : 0;
      Terms terms = open.policy().terms(rule);
      limits.add(new Limit(key, terms, advance, both ? tools.own().owed(key, terms, now) : 0));
    }
    if (open.once() != null) {
      limits.add(Limit.of(open.once()));
    }
    return new Item(wanted, limits);
  }

  private void answered(List<Group> batch, List<Item> items, List<Answer> answers, long sent) {
    warm = true;
    tools.breaker().succeeded();
    tools.meters().asked(batch.size());
    landed();
    for (int i = 0; i < batch.size(); i++) {
      settle(batch.get(i), items.get(i), answers.get(i), sent);
    }
  }

  private void settle(Group group, Item item, Answer answer, long sent) {
    Open open = group.open();
    for (int i = 0; i < open.rules().size(); i++) {
      if (answer.owed(i) > 0) {
        tools.own().learn(open.key(i), item.limits().get(i).terms(), answer.owed(i), now());
      }
      if (item.limits().get(i).advance() > 0) {
        open.policy().slice(open.rules().get(i), open.key(i), sent).taken(answer.advance(i), sent);
      }
      if (answer.waitOf(i) > 0) {
        open.policy().denials().note(open.key(i), sent, answer.waitOf(i) * 1_000);
      }
    }
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
    tools.breaker().failed(now());
    tools.meters().failed();
    landed();
    List<Group> lost = new ArrayList<>(batch);
    if (tools.breaker().isOpen()) {
      lost.addAll(drain());
    }
    for (Group group : batch) {
      release(group.open());
    }
    lost.forEach(group -> group.callers().forEach(Caller::lost));
  }

  private long now() {
    return tools.nanos().getAsLong();
  }

  /// What a lost run took in advance is lost with it.
  private static void release(Open open) {
    for (int i = 0; i < open.rules().size(); i++) {
      LimitRule rule = open.rules().get(i);
      if (rule.isLeased()) {
        open.policy().slice(rule, open.key(i), 0).taken(0, 0);
      }
    }
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
}
