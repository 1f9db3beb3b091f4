package fairgate.sale;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Calls `rebuild_end.lua`, which sets the free units as counted in the ledger.
final class RebuildEndScript {
  private static final LuaScript SCRIPT = LuaScript.load(RebuildEndScript.class, "rebuild_end.lua");

  private final RedisClient redis;

  RebuildEndScript(RedisClient redis) {
    this.redis = redis;
  }

  /// Returns false when another rebuild has overtaken this one.
  Future<Boolean> run(List<String> keys, List<String> args) {
    return redis.run(SCRIPT, keys, args).map(reply -> DONE.equals(reply.text()));
  }

  private static final String DONE = "ENDED";
}
