package fairgate.platform.redis;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.CallTimes;
import fairgate.platform.observe.OutageLog;
import fairgate.platform.tls.TlsRefusal;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.types.ErrorType;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A pipelined connection of one event loop to one Redis. Its state is used on that loop only.
final class NodeConnection implements LoopConnection {
  private static final Logger LOG = LoggerFactory.getLogger(NodeConnection.class);

  /// The time without failures after which an outage of a node is over.
  private static final Duration CALM = Duration.ofSeconds(2);

  /// The client library's error for calls that were pending when the connection closed. It looks
  /// like a reply of Redis, but the outcome is unknown.
  private static final String CONNECTION_CLOSED = "CONNECTION_CLOSED";

  private static final long RECONNECT_FIRST_MS = 50;
  private static final long RECONNECT_MAX_MS = 1_000;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final Context context;
  private final RedisSettings settings;
  private final OutageLog outage;
  private final CallTimes times;
  private final Redis redis;
  private final ReplicaWait replicas;
  private final Promise<Void> first = Promise.promise();
  private volatile @Nullable Thread thread;
  private volatile @Nullable RedisConnection connection;
  private volatile boolean closed;
  private long backOff = RECONNECT_FIRST_MS;

  /// @param outage the outage log of the node, shared by all its connections
  /// @param times the durations of calls, shared by all connections of the client
  NodeConnection(
      Vertx vertx, Context context, RedisSettings settings, OutageLog outage, CallTimes times) {
    this.vertx = vertx;
    this.context = context;
    this.settings = settings;
    this.outage = outage;
    this.times = times;
    this.replicas = new ReplicaWait(this::exchange, settings.callBudget());
    RedisOptions options =
        settings.options(new RedisOptions().getNetClientOptions()).setMaxWaitingHandlers(1 << 16);
    this.redis = Redis.createClient(vertx, options);
    context.runOnContext(
        _ -> {
          thread = Thread.currentThread();
          connect();
        });
  }

  /// @param node `host:port`
  static OutageLog outageOf(String node) {
    return new OutageLog(LOG, "redis " + node, CALM);
  }

  Future<Void> firstConnection() {
    return first.future();
  }

  @Override
  public boolean connected(String key) {
    return connection != null;
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
    return false;
  }

  @Override
  public Future<RedisReply> send(String key, Request request) {
    return isOnLoop() ? exchange(request) : RedisClient.runOn(context, () -> exchange(request));
  }

  @Override
  public Future<RedisReply> eval(LuaScript script, String key, ArgumentWriter arguments) {
    return evalFenced(script, key, arguments, null);
  }

  /// @param key a key of the script
  /// @param fence an additional key for the script; null for none
  Future<RedisReply> evalFenced(
      LuaScript script, String key, ArgumentWriter arguments, @Nullable String fence) {
    return isOnLoop()
        ? evalHere(script, key, arguments, fence)
        : RedisClient.runOn(context, () -> evalHere(script, key, arguments, fence));
  }

  private Future<RedisReply> evalHere(
      LuaScript script, String key, ArgumentWriter arguments, @Nullable String fence) {
    Request byHash = Request.cmd(Command.EVALSHA).arg(script.sha());
    arguments.write(byHash, fence);
    return replicated(script, key, byHash)
        .recover(
            failure -> {
              if (failure instanceof RedisFailure refused && refused.missesScript()) {
                Request byText = Request.cmd(Command.EVAL).arg(script.source());
                arguments.write(byText, fence);
                return replicated(script, key, byText);
              }
              return Future.failedFuture(failure);
            });
  }

  /// Sends a script call. A durable script of a replicated Redis is followed by one wait for a
  /// replica, in the same write to the connection.
  private Future<RedisReply> replicated(LuaScript script, String key, Request call) {
    Future<RedisReply> reply = exchange(call);
    if (!settings.replicated() || !script.isDurable()) {
      return reply;
    }
    Future<Void> replica = replicas.after(key);
    return reply.compose(decided -> replica.map(decided));
  }

  private Future<RedisReply> exchange(Request request) {
    RedisConnection open = connection;
    if (open != null) {
      return exchange(open, request);
    }
    if (!first.future().isComplete()) {
      // The first call of an event loop opens its connection and waits for it.
      return first
          .future()
          .timeout(settings.callBudget().toMillis(), TimeUnit.MILLISECONDS)
          .recover(
              failure ->
                  Future.failedFuture(
                      failure instanceof ServiceUnavailable known
                          ? known
                          : new ServiceUnavailable("redis connection: " + failure, RETRY_AFTER)))
          .compose(_ -> exchange(request));
    }
    return Future.failedFuture(new ServiceUnavailable("redis is not connected", RETRY_AFTER));
  }

  private Future<RedisReply> exchange(RedisConnection open, Request request) {
    long begun = System.nanoTime();
    Promise<RedisReply> promise = Promise.promise();
    long timer =
        vertx.setTimer(
            settings.callBudget().toMillis(),
            _ -> {
              if (promise.tryFail(new ServiceUnavailable("redis is too slow", RETRY_AFTER))) {
                // A connection with a reply overdue for this long is not usable for later calls.
                drop(open, "it is too slow");
              }
            });
    open.send(request)
        .onComplete(
            done -> {
              vertx.cancelTimer(timer);
              times.ended(begun);
              if (done.succeeded()) {
                outage.worked();
              }
              settle(promise, done.succeeded() ? done.result() : null, done.cause());
            });
    return promise.future();
  }

  private static void settle(
      Promise<RedisReply> promise, @Nullable Response response, @Nullable Throwable cause) {
    if (cause == null) {
      promise.tryComplete(RedisReply.of(response));
    } else if (cause instanceof ErrorType error && !error.is(CONNECTION_CLOSED)) {
      RedisFailure refused = new RedisFailure(String.valueOf(error.getMessage()));
      if (refused.isLoginRefused()) {
        promise.tryFail(unreachable(cause));
      } else {
        promise.tryFail(
            refused.isOutage()
                ? new ServiceUnavailable("redis refuses calls: " + error.getMessage(), RETRY_AFTER)
                : refused);
      }
    } else {
      promise.tryFail(new ServiceUnavailable("redis connection: " + cause, RETRY_AFTER));
    }
  }

  /// The failure of a connection that could not be opened: a refusal if only an operator can change
  /// that.
  static ServiceUnavailable unreachable(Throwable failure) {
    if (failure instanceof ErrorType error
        && new RedisFailure(String.valueOf(error.getMessage())).isLoginRefused()) {
      return ServiceUnavailable.refused(
          "redis refuses the login (%s): correct the user and the password in redis.url"
              .formatted(error.getMessage()));
    }
    return TlsRefusal.of(failure, "redis")
        .map(reason -> ServiceUnavailable.refused("redis: " + reason))
        .orElseGet(() -> new ServiceUnavailable("redis: " + failure, RETRY_AFTER));
  }

  private void connect() {
    if (closed) {
      return;
    }
    redis
        .connect()
        .onSuccess(this::adopt)
        .onFailure(
            failure -> {
              ServiceUnavailable cause = unreachable(failure);
              if (!first.tryFail(cause)) {
                outage.waits(cause);
              }
              reconnectLater();
            });
  }

  private void adopt(RedisConnection fresh) {
    if (closed) {
      fresh.close();
      return;
    }
    fresh.exceptionHandler(cause -> drop(fresh, String.valueOf(cause)));
    fresh.endHandler(_ -> drop(fresh, "the connection ended"));
    connection = fresh;
    backOff = RECONNECT_FIRST_MS;
    first.tryComplete();
  }

  private void drop(RedisConnection lost, String why) {
    if (lost.equals(connection)) {
      connection = null;
      lost.close();
      if (!closed) {
        outage.waits(new ServiceUnavailable(why, RETRY_AFTER));
        reconnectLater();
      }
    }
  }

  private void reconnectLater() {
    if (!closed) {
      vertx.setTimer(backOff, _ -> context.runOnContext(_ -> connect()));
      backOff = Math.min(RECONNECT_MAX_MS, backOff * 2);
    }
  }

  @Override
  public void close() {
    closed = true;
    RedisConnection open = connection;
    connection = null;
    if (open != null) {
      open.close();
    }
    redis.close();
  }

  /// Waits until a replica has the writes of a connection: with `WAITAOF` on its disk and on that
  /// of the primary, where the engine has this command (Redis 7.2, Valkey), otherwise with `WAIT`
  /// in its memory. Used on one event loop.
  ///
  /// A script that finds an earlier decision writes nothing, and the decision may have been made on
  /// another connection. So each wait begins with a small write of its own: a replica that has it
  /// has everything before it.
  static final class ReplicaWait {
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
    private static final Command WAITAOF = Command.create("WAITAOF");

    private final Function<Request, Future<RedisReply>> exchange;
    private final String timeoutMs;
    private boolean knowsWaitaof = true;

    /// @param exchange sends a request on the connection, after all earlier ones
    /// @param budget of a call; the wait ends before it, so that the connection stays usable
    ReplicaWait(Function<Request, Future<RedisReply>> exchange, Duration budget) {
      this.exchange = exchange;
      this.timeoutMs = Long.toString(budget.toMillis() * 3 / 4);
    }

    /// Completes when a replica has all writes so far; fails with ServiceUnavailable (the outcome
    /// is unknown) when none confirms it in time.
    ///
    /// @param key a key of the call; `{key}:replicated` is written
    Future<Void> after(String key) {
      var _ = exchange.apply(Request.cmd(Command.SET).arg(key + ":replicated").arg("1"));
      boolean onDisk = knowsWaitaof;
      Request wait =
          onDisk
              ? Request.cmd(WAITAOF).arg("1").arg("1").arg(timeoutMs)
              : Request.cmd(Command.WAIT).arg("1").arg(timeoutMs);
      return exchange
          .apply(wait)
          .compose(
              reply ->
                  isConfirmed(reply, onDisk)
                      ? Future.succeededFuture()
                      : unknown("no replica confirmed it in time"),
              failure -> {
                if (onDisk && failure instanceof RedisFailure refused && refused.isUnknown()) {
                  knowsWaitaof = false;
                  return after(key);
                }
                return unknown(String.valueOf(failure));
              });
    }

    private static boolean isConfirmed(RedisReply reply, boolean onDisk) {
      return onDisk ? reply.at(0).number() > 0 && reply.at(1).number() > 0 : reply.number() > 0;
    }

    private static Future<Void> unknown(String reason) {
      return Future.failedFuture(
          new ServiceUnavailable("redis replication: " + reason, RETRY_AFTER));
    }
  }
}
