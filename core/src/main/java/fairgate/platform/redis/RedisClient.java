package fairgate.platform.redis;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.CallTimes;
import fairgate.platform.observe.Metrics;
import fairgate.platform.observe.OutageLog;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A Redis client with one pipelined connection for each event loop, reconnecting automatically; in
/// a cluster, one for each of its masters.
///
/// Calls from an event loop use that loop's connection and complete on it; calls from other threads
/// share one. Every call completes within the call budget: with a reply, with `RedisFailure` (Redis
/// refused it, nothing happened) or with `ServiceUnavailable` (it may have happened or not).
///
/// In a cluster a call goes to the master that owns its first key. All keys of a call must share a
/// slot; a [ScriptBatcher] puts calls of different slots into different batches.
public final class RedisClient implements AutoCloseable {
  /// The node name of a single Redis.
  private static final String ONLY = "redis";

  /// The time after which a master counts as unreachable; shorter than the timeout of health
  /// checks.
  private static final long PING_MS = 1_000;

  private final Vertx vertx;
  private final RedisSettings settings;
  private final @Nullable ClusterNodes nodes;
  private final Map<Thread, LoopConnection> loopConnections = new ConcurrentHashMap<>();
  private final LoopConnection shared;
  private final OutageLog outage;
  private final CallTimes times = new CallTimes();

  private RedisClient(Vertx vertx, RedisSettings settings) {
    this.vertx = vertx;
    this.settings = settings;
    this.outage = NodeConnection.outageOf(settings.toString().replaceFirst("^\\w+://", ""));
    this.nodes = settings.cluster() ? new ClusterNodes(vertx, settings) : null;
    this.shared = newConnection(vertx.getOrCreateContext());
  }

  /// Connects, and waits for the first connection or for the slots of the cluster. Fails when Redis
  /// cannot be reached, and then leaves nothing open.
  public static Future<RedisClient> connect(Vertx vertx, RedisSettings settings) {
    RedisClient client = new RedisClient(vertx, settings);
    if (client.nodes != null) {
      // A missing master affects its own sales only. The first call may time out because this
      // process
      // has only just started.
      return client
          .nodes
          .refresh()
          .recover(_ -> client.nodes.refresh())
          .compose(_ -> client.unreachableNodes().otherwise(List.of()))
          .map(client)
          .onFailure(_ -> client.close());
    }
    return client.shared instanceof NodeConnection connection
        ? connection.firstConnection().map(client).onFailure(_ -> client.close())
        : Future.succeededFuture(client);
  }

  public void publish(Metrics metrics) {
    times.publish(
        metrics,
        "fairgate_redis_call_seconds",
        "Time of calls to Redis; a batch of scripts is one call");
  }

  /// Sends one command whose first argument is its key, for example `send("HGET", key, field)`.
  public Future<RedisReply> send(String command, String... args) {
    return sendTo(args.length == 0 ? "" : args[0], command, args);
  }

  /// Sends one command whose key is not the first argument.
  public Future<RedisReply> sendTo(String key, String command, String... args) {
    return connection().send(key, request(command, args));
  }

  /// Runs a script once, without batching. At least one key is required; it selects the node.
  public Future<RedisReply> run(LuaScript script, List<String> keys, List<String> args) {
    return connection()
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

  /// A separate connection for commands that block (`XREADGROUP ... BLOCK`). The caller closes it.
  /// For a single Redis only.
  public Future<Session> session() {
    return Session.open(vertx, settings);
  }

  /// Whether the shared connection to the key's node is open now.
  public boolean connected(String key) {
    return shared.connected(key);
  }

  public boolean clustered() {
    return nodes != null;
  }

  /// The hash tag that keeps keys in one slot: `{name}` in a cluster, otherwise empty.
  public String tag(String name) {
    return nodes == null ? "" : '{' + name + '}';
  }

  /// The name of the node that owns the key, as in [#nodes]; empty when unknown.
  public String node(String key) {
    if (nodes == null) {
      return ONLY;
    }
    String owner = nodes.owner(KeySlot.of(key));
    return owner == null ? "" : owner;
  }

  /// All known nodes that own keys: `host:port`, or one fixed name for a single Redis.
  public Set<String> nodes() {
    return nodes == null ? Set.of(ONLY) : nodes.masters();
  }

  /// The nodes that do not answer a ping; fails when none answers.
  public Future<List<String>> unreachableNodes() {
    if (!(shared instanceof ClusterConnection connection)) {
      return send("PING").map(_ -> List.of());
    }
    List<String> names = nodes().stream().sorted().toList();
    List<Future<RedisReply>> pings =
        names.stream()
            .map(name -> connection.ping(name).timeout(PING_MS, TimeUnit.MILLISECONDS))
            .toList();
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

  /// The facts of each node; fails when one does not answer.
  public Future<List<RedisFacts>> facts() {
    List<Future<RedisFacts>> facts =
        nodes().stream()
            .sorted()
            .map(node -> RedisFacts.ask(node, (command, args) -> sendToNode(node, command, args)))
            .toList();
    return Future.all(facts).map(all -> all.list());
  }

  private Future<RedisReply> sendToNode(String node, String command, String... args) {
    Request request = request(command, args);
    return shared instanceof ClusterConnection connection
        ? connection.sendToNode(node, request)
        : shared.send("", request);
  }

  private static Request request(String command, String... args) {
    Request request = Request.cmd(Command.create(command));
    for (String arg : args) {
      request.arg(arg);
    }
    return request;
  }

  LoopConnection connection() {
    Context context = Vertx.currentContext();
    if (context == null || !context.isEventLoopContext() || !Context.isOnEventLoopThread()) {
      return shared;
    }
    Thread thread = Thread.currentThread();
    LoopConnection connection = loopConnections.get(thread);
    return connection != null
        ? connection
        : loopConnections.computeIfAbsent(thread, _ -> newConnection(context));
  }

  private LoopConnection newConnection(Context context) {
    return nodes == null
        ? new NodeConnection(vertx, context, settings, outage, times)
        : new ClusterConnection(vertx, context, settings, nodes, times);
  }

  @Override
  public void close() {
    shared.close();
    loopConnections.values().forEach(LoopConnection::close);
  }

  /// Runs the step on the given context and returns its result.
  static <T> Future<T> runOn(Context context, Supplier<Future<T>> step) {
    Promise<T> promise = Promise.promise();
    context.runOnContext(
        _ -> {
          try {
            step.get().onComplete(promise);
          } catch (RuntimeException e) {
            // An exception must complete the future too.
            promise.tryFail(e);
          }
        });
    return promise.future();
  }

  /// A connection for blocking commands of one user. Only the command itself limits its time.
  public static final class Session implements AutoCloseable {
    private final Redis redis;
    private final RedisConnection connection;

    private Session(Redis redis, RedisConnection connection) {
      this.redis = redis;
      this.connection = connection;
    }

    static Future<Session> open(Vertx vertx, RedisSettings settings) {
      Redis redis =
          Redis.createClient(vertx, settings.options(new RedisOptions().getNetClientOptions()));
      return redis.connect().map(connection -> new Session(redis, connection));
    }

    public Future<RedisReply> send(String command, String... args) {
      Request request = Request.cmd(Command.create(command));
      for (String arg : args) {
        request.arg(arg);
      }
      return connection.send(request).map(RedisReply::of);
    }

    @Override
    public void close() {
      connection.close();
      redis.close();
    }
  }
}
