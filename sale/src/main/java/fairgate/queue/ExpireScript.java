package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Calls `expire.lua`, which ends places that are over.
final class ExpireScript {
  private static final LuaScript SCRIPT = LuaScript.load(ExpireScript.class, "expire.lua");

  private final RedisClient redis;

  ExpireScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The result of one run.
  ///
  /// @param missed places whose purchase window was over
  /// @param closed places that ended with the sale
  /// @param more whether there is more to do at once
  /// @param saleState the state of the sale at that instant
  /// @param places number of places in waiting and active now
  /// @param untilChange ms until the clock opens or closes the sale; -1 when it will not
  /// @param absent ready places that ended because their sessions were absent
  record Run(
      int missed,
      int closed,
      boolean more,
      String saleState,
      int places,
      long untilChange,
      int absent) {}

  Future<Run> run(SaleKeys keys, int max) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.sale(), keys.waiting(), keys.active(), keys.ready(), keys.devices()),
            List.of(keys.sessionPrefix(), keys.lockPrefix(), Integer.toString(max)))
        .map(
            reply ->
                new Run(
                    (int) reply.at(0).number(),
                    (int) reply.at(1).number(),
                    reply.at(2).number() == 1,
                    reply.at(3).text(),
                    (int) reply.at(5).number(),
                    reply.at(6).number(),
                    (int) reply.at(7).number()));
  }
}
