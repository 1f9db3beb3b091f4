package fairgate.platform.redis;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;

/// A connection for blocking commands of one user. Only the command itself limits its time.
public final class RedisSession implements AutoCloseable {
  private final Redis redis;
  private final RedisConnection connection;

  private RedisSession(Redis redis, RedisConnection connection) {
    this.redis = redis;
    this.connection = connection;
  }

  static Future<RedisSession> open(Vertx vertx, RedisSettings settings) {
    Redis redis =
        Redis.createClient(vertx, settings.options(new RedisOptions().getNetClientOptions()));
    return redis.connect().map(connection -> new RedisSession(redis, connection));
  }

  /// Sends one command.
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
