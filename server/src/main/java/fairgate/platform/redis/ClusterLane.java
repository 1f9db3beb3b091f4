package fairgate.platform.redis;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One event loop's connections to the masters of a cluster, each made when it is first asked for.
///
/// A call is repeated only when a node has said that it did not run it: at once where the slot has
/// moved, after pauses while it is being moved, and never past the call budget. While a slot is on
/// its way, its keys lie on two nodes, and a script would see half of a sale. So every script names
/// one more key of its slot, the fence, which nobody ever writes: Redis refuses scripts that name a
/// missing key as long as the slot moves, before they have done anything.
final class ClusterLane implements Lane {
  private static final int MOST_MOVES = 5;
  private static final long FIRST_PAUSE_MS = 10;
  private static final long LONGEST_PAUSE_MS = 200;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final Context home;
  private final RedisSettings settings;
  private final ClusterNodes nodes;
  private final Map<String, RedisLane> lanes = new HashMap<>();
  private Set<String> masters = Set.of();
  private volatile @Nullable Thread thread;

  ClusterLane(Vertx vertx, Context home, RedisSettings settings, ClusterNodes nodes) {
    this.vertx = vertx;
    this.home = home;
    this.settings = settings;
    this.nodes = nodes;
    home.runOnContext(_ -> thread = Thread.currentThread());
  }

  /// What is asked of the node that owns a slot.
  private record Call(
      int slot, Function<RedisLane, Future<RedisReply>> step, long deadline, int tries) {
    Call again() {
      return new Call(slot, step, deadline, tries + 1);
    }
  }

  @Override
  public Context home() {
    return home;
  }

  @Override
  public boolean atHome() {
    return Thread.currentThread().equals(thread);
  }

  @Override
  public boolean splits() {
    return true;
  }

  @Override
  public Future<RedisReply> send(String key, Request request) {
    return call(key, lane -> lane.send(key, request));
  }

  @Override
  public Future<RedisReply> eval(LuaScript script, String key, Tail tail) {
    String tag = KeySlot.tag(key);
    // A key without a tag is all its script touches: it lies on one node or on the other.
    return tag == null
        ? call(key, lane -> lane.eval(script, key, tail))
        : call(key, lane -> lane.evalFenced(script.fenced(), tail, fence(tag)));
  }

  /// The key that scripts name and nobody writes.
  static String fence(String tag) {
    return '{' + tag + "}:moving";
  }

  /// Asks one master whether it is there.
  Future<RedisReply> ping(String node) {
    Request ping = Request.cmd(Command.PING);
    return here(() -> lane(node).send("", ping)).onFailure(_ -> nodes.refreshSoon());
  }

  @Override
  public boolean connected(String key) {
    String node = nodes.owner(KeySlot.of(key));
    RedisLane lane;
    synchronized (lanes) {
      lane = node == null ? null : lanes.get(node);
    }
    return lane != null && lane.connected(key);
  }

  private Future<RedisReply> call(String key, Function<RedisLane, Future<RedisReply>> step) {
    long deadline = System.nanoTime() + settings.callBudget().toNanos();
    Call call = new Call(KeySlot.of(key), step, deadline, 0);
    return here(() -> attempt(call));
  }

  private Future<RedisReply> here(Supplier<Future<RedisReply>> step) {
    return atHome() ? step.get() : RedisClient.hop(home, step);
  }

  private Future<RedisReply> attempt(Call call) {
    String node = nodes.owner(call.slot());
    if (node == null) {
      nodes.refreshSoon();
      return Future.failedFuture(
          new ServiceUnavailable("no redis owns slot " + call.slot(), RETRY_AFTER));
    }
    return call.step().apply(lane(node)).recover(failure -> failed(call, node, failure));
  }

  private Future<RedisReply> failed(Call call, String node, Throwable failure) {
    if (!(failure instanceof RedisFailure refused)) {
      // What became of the call is unknown: it is never sent again.
      nodes.refreshSoon();
      return Future.failedFuture(failure);
    }
    boolean late = System.nanoTime() - call.deadline() > 0;
    if (refused.hasMoved() && call.tries() < MOST_MOVES && !late) {
      nodes.moved(call.slot(), refused.movedTo(), node);
      return attempt(call.again());
    }
    if (refused.isMoving() && !late) {
      return afterPause(call);
    }
    boolean elsewhere = refused.hasMoved() || refused.isMoving() || refused.isClusterDown();
    if (elsewhere) {
      nodes.refreshSoon();
    }
    return Future.failedFuture(
        elsewhere
            ? new ServiceUnavailable("redis " + node + ": " + refused, RETRY_AFTER)
            : refused);
  }

  private Future<RedisReply> afterPause(Call call) {
    Promise<RedisReply> promise = Promise.promise();
    long pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS << Math.min(call.tries(), 10));
    vertx.setTimer(pause, _ -> home.runOnContext(_ -> attempt(call.again()).onComplete(promise)));
    return promise.future();
  }

  private RedisLane lane(String node) {
    synchronized (lanes) {
      Set<String> now = nodes.masters();
      if (!now.equals(masters)) {
        masters = now;
        lanes
            .entrySet()
            .removeIf(
                entry -> {
                  boolean gone = !now.contains(entry.getKey());
                  if (gone) {
                    entry.getValue().close();
                  }
                  return gone;
                });
      }
      return lanes.computeIfAbsent(
          node,
          _ ->
              new RedisLane(
                  vertx, home, new RedisSettings(nodes.uri(node), settings.callBudget())));
    }
  }

  @Override
  public void close() {
    synchronized (lanes) {
      lanes.values().forEach(RedisLane::close);
      lanes.clear();
    }
  }
}
