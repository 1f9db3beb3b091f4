package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// `expire.lua`: places that are over.
final class ExpireScript {
  private static final LuaScript SCRIPT = LuaScript.load(ExpireScript.class, "expire.lua");

  private final RedisClient redis;

  ExpireScript(RedisClient redis) {
    this.redis = redis;
  }

  /// One run.
  ///
  /// @param missed places whose purchase window had passed
  /// @param closed places that ended with the sale
  /// @param more whether there is more to do at once
  record Run(int missed, int closed, boolean more) {}

  Future<Run> run(SaleKeys keys, int most) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.sale(), keys.waiting(), keys.active(), keys.ready(), keys.devices()),
            List.of(keys.sessionPrefix(), keys.lockPrefix(), Integer.toString(most)))
        .map(
            reply ->
                new Run(
                    (int) reply.at(0).number(),
                    (int) reply.at(1).number(),
                    reply.at(2).number() == 1));
  }
}
