package fairgate.sale;

import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Calls `live.lua`, which reads the counters of a sale at one instant.
final class LiveScript {
  private static final LuaScript SCRIPT = LuaScript.load(LiveScript.class, "live.lua");

  private final RedisClient redis;

  LiveScript(RedisClient redis) {
    this.redis = redis;
  }

  Future<LiveCounters> run(SaleKeys keys) {
    return redis
        .run(
            SCRIPT,
            List.of(
                keys.sale(),
                keys.stock(),
                keys.waiting(),
                keys.active(),
                keys.ready(),
                keys.purchases(),
                keys.pending(),
                keys.outbox()),
            List.of())
        .map(reply -> LiveCounters.parse(reply.texts()));
  }
}
