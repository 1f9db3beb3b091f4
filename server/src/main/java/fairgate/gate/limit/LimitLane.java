package fairgate.gate.limit;

import fairgate.gate.limit.Call.Open;
import fairgate.gate.limit.LimitScript.Answer;
import fairgate.gate.limit.LimitScript.Item;
import fairgate.gate.limit.LimitScript.Limit;
import fairgate.platform.redis.RedisBreaker;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

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
  private final Map<Name, Group> groups = new LinkedHashMap<>();
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
  record Tools(
      Vertx vertx,
      LimitScript script,
      LongSupplier nanos,
      Duration budget,
      RedisBreaker breaker,
      LimitMeters meters) {}

  /// What Redis said of one call.
  ///
  /// @param answer to all calls that were asked for together
  record Word(boolean granted, Answer answer) {}

  private record Name(Policy policy, String keys) {}

  /// Calls that count in the same limits.
  private record Group(Open open, List<Promise<Word>> callers) {}

  /// Asks for one call; from any thread. The future completes on the lane's loop, and fails when
  /// nothing is known.
  Future<Word> ask(Open open) {
    Promise<Word> promise = Promise.promise();
    if (!add(open, promise)) {
      promise.fail("too many calls wait for their limits");
    }
    return promise.future();
  }

  private synchronized boolean add(Open open, Promise<Word> promise) {
    if (waiting >= MOST_WAITING) {
      return false;
    }
    waiting++;
    groups
        .computeIfAbsent(
            new Name(open.policy(), open.name()), _ -> new Group(open, new ArrayList<>(1)))
        .callers()
        .add(promise);
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
    List<Item> items = batch.stream().map(group -> item(group, sent)).toList();
    Promise<List<Answer>> inTime = Promise.promise();
    long budget = tools.budget().toMillis() * (warm ? 1 : FIRST_BUDGETS);
    long timer =
        tools.vertx().setTimer(budget, _ -> inTime.tryFail("no answer within " + budget + " ms"));
    tools
        .script()
        .run(items)
        .onComplete(
            done -> {
              boolean _ = tools.vertx().cancelTimer(timer);
              if (done.succeeded()) {
                inTime.tryComplete(done.result());
              } else {
                inTime.tryFail(done.cause());
              }
            });
    inTime
        .future()
        .onSuccess(answers -> answered(batch, items, answers, sent))
        .onFailure(failure -> failed(batch, failure));
  }

  private static Item item(Group group, long now) {
    Open open = group.open();
    int wanted = group.callers().size();
    List<Limit> limits = new ArrayList<>(open.keys().size() + 1);
    for (int i = 0; i < open.keys().size(); i++) {
      LimitRule rule = open.rules().get(i);
      String key = open.keys().get(i);
      int advance = rule.isLeased() ? open.policy().slice(rule, key, now).advance(wanted, now) : 0;
      limits.add(Limit.of(rule, key, advance));
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

  private static void settle(Group group, Item item, Answer answer, long sent) {
    Open open = group.open();
    for (int i = 0; i < open.keys().size(); i++) {
      String key = open.keys().get(i);
      if (item.limits().get(i).advance() > 0) {
        open.policy().slice(open.rules().get(i), key, sent).taken(answer.advance(i), sent);
      }
      if (answer.waitOf(i) > 0) {
        open.policy().denials().note(key, sent, answer.waitOf(i) * 1_000);
      }
    }
    int place = 0;
    for (Promise<Word> caller : group.callers()) {
      if (answer.granted() < 0) {
        caller.fail("a key holds what cannot be counted with: " + open.keys());
      } else {
        caller.complete(new Word(place < answer.granted(), answer));
      }
      place++;
    }
  }

  private void failed(List<Group> batch, Throwable failure) {
    tools.breaker().failed(tools.nanos().getAsLong());
    tools.meters().failed();
    landed();
    List<Group> lost = new ArrayList<>(batch);
    if (tools.breaker().isOpen()) {
      lost.addAll(drain());
    }
    for (Group group : batch) {
      release(group.open());
    }
    lost.forEach(group -> group.callers().forEach(caller -> caller.fail(failure)));
  }

  /// What a lost run took in advance is lost with it.
  private static void release(Open open) {
    for (int i = 0; i < open.keys().size(); i++) {
      LimitRule rule = open.rules().get(i);
      if (rule.isLeased()) {
        open.policy().slice(rule, open.keys().get(i), 0).taken(0, 0);
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
