package fairgate.sale;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Calls `rebuild_begin.lua`, which opens a new epoch in which nothing is sold yet.
final class RebuildBeginScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(RebuildBeginScript.class, "rebuild_begin.lua");

  private final RedisClient redis;

  RebuildBeginScript(RedisClient redis) {
    this.redis = redis;
  }

  /// Returns false when another rebuild has overtaken this one.
  Future<Boolean> run(List<String> keys, List<String> args) {
    return redis.run(SCRIPT, keys, args).map(reply -> DONE.equals(reply.text()));
  }

  private static final String DONE = "BEGUN";
}
