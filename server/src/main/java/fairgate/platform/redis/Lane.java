package fairgate.platform.redis;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.redis.client.Request;
import org.jspecify.annotations.Nullable;

/// Where the calls of one event loop go: to one Redis, or to that node of a cluster which owns the
/// call's key. Every call names one of its keys; in a cluster all of them share its slot.
interface Lane {
  /// Writes a script's keys and arguments, the number of keys first.
  @FunctionalInterface
  interface Tail {
    /// Adds them to the request.
    ///
    /// @param fence one more key to name, behind the others; null for none
    void write(Request request, @Nullable String fence);
  }

  Context home();

  boolean atHome();

  /// Whether calls with keys of different slots must not share a script run.
  boolean splits();

  Future<RedisReply> send(String key, Request request);

  /// Calls the script by its hash, and once by its text when Redis does not know the hash: a
  /// NOSCRIPT answer means that nothing ran.
  Future<RedisReply> eval(LuaScript script, String key, Tail tail);

  /// Whether the connection to the key's node stands at this moment.
  boolean connected(String key);

  void close();
}
