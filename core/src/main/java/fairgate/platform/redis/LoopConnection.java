package fairgate.platform.redis;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.redis.client.Request;
import org.jspecify.annotations.Nullable;

/// The Redis connection of one event loop: to a single Redis, or to the cluster node that owns the
/// key of a call. Every call names one of its keys; in a cluster all keys of a call share a slot.
interface LoopConnection {
  /// Adds a script's arguments to a request: the number of keys, the keys, the other arguments.
  @FunctionalInterface
  interface ArgumentWriter {
    /// Adds the arguments.
    ///
    /// @param fence one more key, after all others; null for none
    void write(Request request, @Nullable String fence);
  }

  Context context();

  boolean isOnLoop();

  /// Whether the calls of one script run must have keys of the same slot.
  boolean requiresOneSlot();

  Future<RedisReply> send(String key, Request request);

  /// Calls the script by its hash, and by its source when Redis does not know the hash: after
  /// NOSCRIPT nothing has run.
  Future<RedisReply> eval(LuaScript script, String key, ArgumentWriter arguments);

  /// Whether the connection to the key's node is open now.
  boolean connected(String key);

  void close();
}
