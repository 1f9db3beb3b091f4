package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Calls `absent.lua`, which tells unknown orders from those that Redis may have lost.
final class AbsentScript {
  private static final LuaScript SCRIPT = LuaScript.load(AbsentScript.class, "absent.lua");

  private final RedisClient redis;

  AbsentScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The reason why an order was not found.
  enum Reply {
    /// There is no such order.
    UNKNOWN,
    /// There is no such sale in Redis.
    NO_SALE,
    /// Redis may have lost it and restore it, or it exists now.
    RETRY
  }

  Future<Reply> run(SaleKeys keys, OrderId id) {
    return redis
        .run(SCRIPT, List.of(keys.sale(), keys.order(id)), List.of())
        .map(reply -> Reply.valueOf(reply.text()));
  }
}
