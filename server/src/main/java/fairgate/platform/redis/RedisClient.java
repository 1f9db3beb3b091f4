package fairgate.platform.redis;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/// The server's door to Redis: one pipelined connection per event loop, reconnecting by itself.
///
/// Calls made on an event loop use that loop's own connection and come back on it; calls from other
/// threads share one. Every call ends within the call budget: with a reply, with a `RedisFailure`
/// (Redis refused it, nothing happened) or with `ServiceUnavailable` (the outcome is unknown).
public final class RedisClient implements AutoCloseable {
  private final Vertx vertx;
  private final RedisSettings settings;
  private final Map<Thread, RedisLane> lanes = new ConcurrentHashMap<>();
  private final RedisLane shared;

  private RedisClient(Vertx vertx, RedisSettings settings) {
    this.vertx = vertx;
    this.settings = settings;
    this.shared = new RedisLane(vertx, vertx.getOrCreateContext(), settings);
  }

  /// Opens the door and waits for the first connection; fails when Redis cannot be reached.
  public static Future<RedisClient> connect(Vertx vertx, RedisSettings settings) {
    RedisClient client = new RedisClient(vertx, settings);
    return client.shared.firstConnection().map(client);
  }

  /// Sends one command, for example `send("HGET", key, field)`.
  public Future<RedisReply> send(String command, String... args) {
    return lane().send(command, List.of(args));
  }

  /// Runs a script once, outside of any batch.
  public Future<RedisReply> run(LuaScript script, List<String> keys, List<String> args) {
    return lane().run(script, keys, args);
  }

  /// A connection of its own, for commands that block (`XREADGROUP ... BLOCK`). The caller closes
  /// it.
  public Future<RedisSession> session() {
    return RedisSession.open(vertx, settings);
  }

  /// Whether the shared connection stands at this moment.
  public boolean connected() {
    return shared.connected();
  }

  RedisLane lane() {
    Context context = Vertx.currentContext();
    if (context == null || !context.isEventLoopContext() || !Context.isOnEventLoopThread()) {
      return shared;
    }
    Thread thread = Thread.currentThread();
    RedisLane lane = lanes.get(thread);
    return lane != null
        ? lane
        : lanes.computeIfAbsent(thread, _ -> new RedisLane(vertx, context, settings));
  }

  @Override
  public void close() {
    shared.close();
    lanes.values().forEach(RedisLane::close);
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
