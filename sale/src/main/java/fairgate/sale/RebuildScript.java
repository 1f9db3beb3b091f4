package fairgate.sale;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// The scripts of a rebuild, in their order.
enum RebuildScript {
  /// Opens a new epoch in which nothing is sold yet.
  BEGIN("rebuild_begin.lua", "BEGUN"),
  /// Restores one order of the ledger.
  ORDER("rebuild_order.lua", "RESTORED"),
  /// Sets the free units as counted in the ledger.
  END("rebuild_end.lua", "ENDED");

  private final LuaScript script;
  private final String done;

  RebuildScript(String file, String done) {
    this.script = LuaScript.load(RebuildScript.class, file);
    this.done = done;
  }

  /// Returns false when another rebuild has overtaken this one.
  Future<Boolean> run(RedisClient redis, List<String> keys, List<String> args) {
    return redis.run(script, keys, args).map(reply -> done.equals(reply.text()));
  }
}
