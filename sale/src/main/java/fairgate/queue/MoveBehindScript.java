package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Calls `move_behind.lua`, which moves the place of a risky purchase behind all others.
final class MoveBehindScript {
  private static final LuaScript SCRIPT = LuaScript.load(MoveBehindScript.class, "move_behind.lua");

  private final RedisClient redis;

  MoveBehindScript(RedisClient redis) {
    this.redis = redis;
  }

  /// Whether the place was moved.
  Future<Boolean> run(
      SaleKeys keys, ProductId product, SessionId session, String decision, Seat seat) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.sale(), keys.waiting(), keys.active(), keys.ready(), keys.devices()),
            List.of(
                product.value(),
                session.value(),
                decision,
                seat.wire(),
                keys.sessionPrefix(),
                keys.lockPrefix()))
        .map(reply -> reply.text().equals("MOVED"));
  }
}
