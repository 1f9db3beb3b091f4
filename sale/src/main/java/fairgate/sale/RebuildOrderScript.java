package fairgate.sale;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Calls `rebuild_order.lua`, which restores one order of the ledger.
final class RebuildOrderScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(RebuildOrderScript.class, "rebuild_order.lua");

  private final RedisClient redis;

  RebuildOrderScript(RedisClient redis) {
    this.redis = redis;
  }

  /// Returns false when another rebuild has overtaken this one.
  Future<Boolean> run(List<String> keys, List<String> args) {
    return redis.run(SCRIPT, keys, args).map(reply -> DONE.equals(reply.text()));
  }

  private static final String DONE = "RESTORED";
}
