package fairgate.platform.redis;

import fairgate.kernel.ServiceUnavailable;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One pipelined connection that belongs to one event loop. All state is touched on that loop only.
final class RedisLane implements Lane {
  private static final Logger LOG = LoggerFactory.getLogger(RedisLane.class);

  /// What the client says of calls whose answer had not come when the connection ended; their
  /// outcome is unknown, though it looks like an answer of Redis.
  private static final String CUT_OFF = "CONNECTION_CLOSED";

  private static final long RECONNECT_FIRST_MS = 50;
  private static final long RECONNECT_MOST_MS = 1_000;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final Context home;
  private final RedisSettings settings;
  private final Redis redis;
  private final Promise<Void> first = Promise.promise();
  private volatile @Nullable Thread thread;
  private volatile @Nullable RedisConnection connection;
  private volatile boolean closed;
  private long backOff = RECONNECT_FIRST_MS;

  RedisLane(Vertx vertx, Context home, RedisSettings settings) {
    this.vertx = vertx;
    this.home = home;
    this.settings = settings;
    RedisOptions options =
        new RedisOptions()
            .setConnectionString(settings.uri())
            .setMaxPoolSize(1)
            .setMaxWaitingHandlers(1 << 16);
    this.redis = Redis.createClient(vertx, options);
    home.runOnContext(
        _ -> {
          thread = Thread.currentThread();
          connect();
        });
  }

  Future<Void> firstConnection() {
    return first.future();
  }

  @Override
  public boolean connected(String key) {
    return connection != null;
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
    return false;
  }

  @Override
  public Future<RedisReply> send(String key, Request request) {
    return atHome() ? exchange(request) : RedisClient.hop(home, () -> exchange(request));
  }

  @Override
  public Future<RedisReply> eval(LuaScript script, String key, Tail tail) {
    return evalFenced(script, tail, null);
  }

  /// @param fence one more key for the script to name; null for none
  Future<RedisReply> evalFenced(LuaScript script, Tail tail, @Nullable String fence) {
    return atHome()
        ? evalHere(script, tail, fence)
        : RedisClient.hop(home, () -> evalHere(script, tail, fence));
  }

  private Future<RedisReply> evalHere(LuaScript script, Tail tail, @Nullable String fence) {
    Request byHash = Request.cmd(Command.EVALSHA).arg(script.sha());
    tail.write(byHash, fence);
    return exchange(byHash)
        .recover(
            failure -> {
              if (failure instanceof RedisFailure refused && refused.missesScript()) {
                Request byText = Request.cmd(Command.EVAL).arg(script.source());
                tail.write(byText, fence);
                return exchange(byText);
              }
              return Future.failedFuture(failure);
            });
  }

  private Future<RedisReply> exchange(Request request) {
    RedisConnection open = connection;
    if (open != null) {
      return exchange(open, request);
    }
    if (!first.future().isComplete()) {
      // A loop's first call is what opens its connection; it waits for it instead of failing.
      return first
          .future()
          .timeout(settings.callBudget().toMillis(), TimeUnit.MILLISECONDS)
          .recover(
              failure ->
                  Future.failedFuture(
                      new ServiceUnavailable("redis connection: " + failure, RETRY_AFTER)))
          .compose(_ -> exchange(request));
    }
    return Future.failedFuture(new ServiceUnavailable("redis is not connected", RETRY_AFTER));
  }

  private Future<RedisReply> exchange(RedisConnection open, Request request) {
    Promise<RedisReply> promise = Promise.promise();
    long timer =
        vertx.setTimer(
            settings.callBudget().toMillis(),
            _ -> {
              if (promise.tryFail(new ServiceUnavailable("redis is too slow", RETRY_AFTER))) {
                // A connection that owes an answer for so long is of no use to later calls either.
                drop(open);
              }
            });
    open.send(request)
        .onComplete(
            done -> {
              vertx.cancelTimer(timer);
              settle(promise, done.succeeded() ? done.result() : null, done.cause());
            });
    return promise.future();
  }

  private static void settle(
      Promise<RedisReply> promise, @Nullable Response response, @Nullable Throwable cause) {
    if (cause == null) {
      promise.tryComplete(RedisReply.of(response));
    } else if (cause instanceof ErrorType error && !error.is(CUT_OFF)) {
      promise.tryFail(new RedisFailure(String.valueOf(error.getMessage())));
    } else {
      promise.tryFail(new ServiceUnavailable("redis connection: " + cause, RETRY_AFTER));
    }
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
              first.tryFail(new ServiceUnavailable("redis: " + failure, RETRY_AFTER));
              reconnectLater();
            });
  }

  private void adopt(RedisConnection fresh) {
    if (closed) {
      fresh.close();
      return;
    }
    fresh.exceptionHandler(_ -> drop(fresh));
    fresh.endHandler(_ -> drop(fresh));
    connection = fresh;
    backOff = RECONNECT_FIRST_MS;
    first.tryComplete();
  }

  private void drop(RedisConnection lost) {
    if (lost.equals(connection)) {
      connection = null;
      lost.close();
      if (!closed) {
        LOG.warn("lost a connection to redis; connecting again");
        reconnectLater();
      }
    }
  }

  private void reconnectLater() {
    if (!closed) {
      vertx.setTimer(backOff, _ -> home.runOnContext(_ -> connect()));
      backOff = Math.min(RECONNECT_MOST_MS, backOff * 2);
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
}
