package fairgate.platform.redis;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.CallTimes;
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

/// The connections of one event loop to the masters of a cluster, each opened on first use.
///
/// A call is repeated only when a node has reported that it did not run it: immediately when the
/// slot has moved, with pauses while the slot is being moved, and never beyond the call budget.
/// During such a move the keys of the slot are on two nodes, and a script could see only some of
/// them. Every script therefore names one more key of its slot, the fence, which is never written.
/// Redis refuses a script with a missing key while the slot is moving, before the script does
/// anything.
final class ClusterConnection implements LoopConnection {
  private static final int MAX_REDIRECTS = 5;
  private static final long FIRST_PAUSE_MS = 10;
  private static final long MAX_PAUSE_MS = 200;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final Context context;
  private final RedisSettings settings;
  private final ClusterNodes nodes;
  private final CallTimes times;
  private final Map<String, NodeConnection> connections = new HashMap<>();
  private Set<String> masters = Set.of();
  private volatile @Nullable Thread thread;

  ClusterConnection(
      Vertx vertx, Context context, RedisSettings settings, ClusterNodes nodes, CallTimes times) {
    this.vertx = vertx;
    this.context = context;
    this.settings = settings;
    this.nodes = nodes;
    this.times = times;
    context.runOnContext(_ -> thread = Thread.currentThread());
  }

  /// A call for the owner of a slot.
  private record SlotCall(
      int slot, Function<NodeConnection, Future<RedisReply>> step, long deadline, int tries) {
    SlotCall again() {
      return new SlotCall(slot, step, deadline, tries + 1);
    }
  }

  @Override
  public Context context() {
    return context;
  }

  @Override
  public boolean isOnLoop() {
    return Thread.currentThread().equals(thread);
  }

  @Override
  public boolean requiresOneSlot() {
    return true;
  }

  @Override
  public Future<RedisReply> send(String key, Request request) {
    return call(key, connection -> connection.send(key, request));
  }

  @Override
  public Future<RedisReply> eval(LuaScript script, String key, ArgumentWriter arguments) {
    String tag = KeySlot.tag(key);
    // A key without a tag is the only key of its script, so it is on one node in any case.
    return tag == null
        ? call(key, connection -> connection.eval(script, key, arguments))
        : call(
            key, connection -> connection.evalFenced(script.fenced(), key, arguments, fence(tag)));
  }

  /// The name of the fence key, which is never written.
  static String fence(String tag) {
    return '{' + tag + "}:moving";
  }

  Future<RedisReply> ping(String node) {
    return sendToNode(node, Request.cmd(Command.PING)).onFailure(_ -> nodes.refreshSoon());
  }

  /// Sends a request without a key to one master.
  Future<RedisReply> sendToNode(String node, Request request) {
    return onLoop(() -> connectionTo(node).send("", request));
  }

  @Override
  public boolean connected(String key) {
    String node = nodes.owner(KeySlot.of(key));
    NodeConnection connection;
    synchronized (connections) {
      connection = node == null ? null : connections.get(node);
    }
    return connection != null && connection.connected(key);
  }

  private Future<RedisReply> call(String key, Function<NodeConnection, Future<RedisReply>> step) {
    long deadline = System.nanoTime() + settings.callBudget().toNanos();
    SlotCall call = new SlotCall(KeySlot.of(key), step, deadline, 0);
    return onLoop(() -> attempt(call));
  }

  private Future<RedisReply> onLoop(Supplier<Future<RedisReply>> step) {
    return isOnLoop() ? step.get() : RedisClient.runOn(context, step);
  }

  private Future<RedisReply> attempt(SlotCall call) {
    String node = nodes.owner(call.slot());
    if (node == null) {
      nodes.refreshSoon();
      return Future.failedFuture(
          new ServiceUnavailable("no redis owns slot " + call.slot(), RETRY_AFTER));
    }
    return call.step().apply(connectionTo(node)).recover(failure -> failed(call, node, failure));
  }

  private Future<RedisReply> failed(SlotCall call, String node, Throwable failure) {
    if (!(failure instanceof RedisFailure refused)) {
      // The outcome of the call is unknown, so it is not repeated.
      nodes.refreshSoon();
      return Future.failedFuture(failure);
    }
    boolean late = System.nanoTime() - call.deadline() > 0;
    if (refused.hasMoved() && call.tries() < MAX_REDIRECTS && !late) {
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

  private Future<RedisReply> afterPause(SlotCall call) {
    Promise<RedisReply> promise = Promise.promise();
    long pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS << Math.min(call.tries(), 10));
    vertx.setTimer(
        pause, _ -> context.runOnContext(_ -> attempt(call.again()).onComplete(promise)));
    return promise.future();
  }

  private NodeConnection connectionTo(String node) {
    synchronized (connections) {
      Set<String> now = nodes.masters();
      if (!now.equals(masters)) {
        masters = now;
        connections
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
      return connections.computeIfAbsent(
          node,
          _ ->
              new NodeConnection(
                  vertx, context, settings.node(nodes.uri(node)), nodes.outage(node), times));
    }
  }

  @Override
  public void close() {
    synchronized (connections) {
      connections.values().forEach(NodeConnection::close);
      connections.clear();
    }
  }
}
