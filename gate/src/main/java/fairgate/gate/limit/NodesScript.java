package fairgate.gate.limit;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// `nodes.lua`: how many nodes are alive.
final class NodesScript {
  private static final LuaScript SCRIPT = LuaScript.load(NodesScript.class, "nodes.lua");

  private final RedisClient redis;
  private final String key;

  /// @param key of the set of nodes
  NodesScript(RedisClient redis, String key) {
    this.redis = redis;
    this.key = key;
  }

  /// Notes that a node is alive.
  ///
  /// @param life time after which it counts as gone, unless it reports again
  /// @return the nodes alive, this one included
  Future<Integer> report(String node, Duration life) {
    return redis
        .run(SCRIPT, List.of(key), List.of(node, Long.toString(life.toMillis())))
        .map(reply -> Math.toIntExact(reply.number()));
  }

  /// Removes a node. A repeat changes nothing.
  Future<Void> leave(String node) {
    return redis.send("ZREM", key, node).mapEmpty();
  }
}
