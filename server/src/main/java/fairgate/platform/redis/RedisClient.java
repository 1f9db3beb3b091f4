package fairgate.platform.redis;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The server's door to Redis: one pipelined connection per event loop, reconnecting by itself; to
/// a cluster, one to each of its masters.
///
/// Calls made on an event loop use that loop's own connection and come back on it; calls from other
/// threads share one. Every call ends within the call budget: with a reply, with a `RedisFailure`
/// (Redis refused it, nothing happened) or with `ServiceUnavailable` (the outcome is unknown).
///
/// In a cluster a call goes to the master that owns its first key. All keys of a call have to share
/// a slot; calls of a [ScriptBatcher] that do not are put into runs of their own.
public final class RedisClient implements AutoCloseable {
  /// The name of a single Redis among the nodes.
  private static final String ONLY = "redis";

  private final Vertx vertx;
  private final RedisSettings settings;
  private final @Nullable ClusterNodes nodes;
  private final Map<Thread, Lane> lanes = new ConcurrentHashMap<>();
  private final Lane shared;

  private RedisClient(Vertx vertx, RedisSettings settings) {
    this.vertx = vertx;
    this.settings = settings;
    this.nodes = settings.cluster() ? new ClusterNodes(vertx, settings) : null;
    this.shared = lane(vertx.getOrCreateContext());
  }

  /// Opens the door and waits for the first connection, or for a node that knows its cluster; fails
  /// when Redis cannot be reached.
  public static Future<RedisClient> connect(Vertx vertx, RedisSettings settings) {
    RedisClient client = new RedisClient(vertx, settings);
    if (client.nodes != null) {
      // A master that is away takes its sales with it, and nothing else.
      return client.nodes.refresh().compose(_ -> client.silent().otherwise(List.of())).map(client);
    }
    return client.shared instanceof RedisLane lane
        ? lane.firstConnection().map(client)
        : Future.succeededFuture(client);
  }

  /// Sends one command whose first argument is its key, for example `send("HGET", key, field)`.
  public Future<RedisReply> send(String command, String... args) {
    return sendTo(args.length == 0 ? "" : args[0], command, args);
  }

  /// Sends one command whose key stands elsewhere.
  public Future<RedisReply> sendTo(String key, String command, String... args) {
    Request request = Request.cmd(Command.create(command));
    for (String arg : args) {
      request.arg(arg);
    }
    return lane().send(key, request);
  }

  /// Runs a script once, outside of any batch. At least one key says where.
  public Future<RedisReply> run(LuaScript script, List<String> keys, List<String> args) {
    return lane()
        .eval(
            script,
            keys.getFirst(),
            (request, fence) -> {
              request.arg(keys.size() + (fence == null ? 0 : 1));
              keys.forEach(request::arg);
              if (fence != null) {
                request.arg(fence);
              }
              args.forEach(request::arg);
            });
  }

  /// A connection of its own, for commands that block (`XREADGROUP ... BLOCK`). The caller closes
  /// it. Of a single Redis only.
  public Future<RedisSession> session() {
    return RedisSession.open(vertx, settings);
  }

  /// Whether the shared connection to the key's node stands at this moment.
  public boolean connected(String key) {
    return shared.connected(key);
  }

  /// Whether this is a cluster, where keys have slots.
  public boolean clustered() {
    return nodes != null;
  }

  /// What keeps keys in one slot, to stand in their names: `{name}` in a cluster, and nothing else.
  public String tag(String name) {
    return nodes == null ? "" : '{' + name + '}';
  }

  /// The node that owns the key, by its name among [#nodes]; "" when nobody is known to.
  public String node(String key) {
    if (nodes == null) {
      return ONLY;
    }
    String owner = nodes.owner(KeySlot.of(key));
    return owner == null ? "" : owner;
  }

  /// All nodes that own keys, as far as known: `host:port`, or one nameless Redis.
  public Set<String> nodes() {
    return nodes == null ? Set.of(ONLY) : nodes.masters();
  }

  /// The nodes that do not answer now; fails when none does.
  public Future<List<String>> silent() {
    if (!(shared instanceof ClusterLane lane)) {
      return send("PING").map(_ -> List.of());
    }
    List<String> names = nodes().stream().sorted().toList();
    List<Future<RedisReply>> pings = names.stream().map(lane::ping).toList();
    return Future.join(pings)
        .transform(
            _ -> {
              List<String> silent = new ArrayList<>();
              for (int i = 0; i < names.size(); i++) {
                if (pings.get(i).failed()) {
                  silent.add(names.get(i));
                }
              }
              return silent.size() == names.size()
                  ? Future.failedFuture(
                      new ServiceUnavailable("redis does not answer", Duration.ofSeconds(1)))
                  : Future.succeededFuture(List.copyOf(silent));
            });
  }

  Lane lane() {
    Context context = Vertx.currentContext();
    if (context == null || !context.isEventLoopContext() || !Context.isOnEventLoopThread()) {
      return shared;
    }
    Thread thread = Thread.currentThread();
    Lane lane = lanes.get(thread);
    return lane != null ? lane : lanes.computeIfAbsent(thread, _ -> lane(context));
  }

  private Lane lane(Context home) {
    return nodes == null
        ? new RedisLane(vertx, home, settings)
        : new ClusterLane(vertx, home, settings, nodes);
  }

  @Override
  public void close() {
    shared.close();
    lanes.values().forEach(Lane::close);
  }

  /// Runs the step on the thread the lane belongs to and hands its result back to the caller's own.
  static <T> Future<T> hop(Context home, Supplier<Future<T>> step) {
    Promise<T> promise = Promise.promise();
    home.runOnContext(
        _ -> {
          try {
            step.get().onComplete(promise);
          } catch (RuntimeException e) {
            // A step that throws must not leave its caller waiting.
            promise.tryFail(e);
          }
        });
    return promise.future();
  }
}
