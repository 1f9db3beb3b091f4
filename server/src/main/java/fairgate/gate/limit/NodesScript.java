package fairgate.gate.limit;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// `nodes.lua`: how many nodes there are.
final class NodesScript {
  private static final LuaScript SCRIPT = LuaScript.load(NodesScript.class, "nodes.lua");

  private final RedisClient redis;

  NodesScript(RedisClient redis) {
    this.redis = redis;
  }

  /// Says that this node is alive.
  ///
  /// @param life how long it counts if it says nothing more
  /// @return the nodes alive, at least this one
  Future<Integer> run(String node, Duration life) {
    return redis
        .run(
            SCRIPT,
            List.of(redis.tag(LimitKeys.TAG) + LimitKeys.NODES),
            List.of(node, Long.toString(life.toMillis())))
        .map(RedisReply::number)
        .map(Math::toIntExact);
  }
}
