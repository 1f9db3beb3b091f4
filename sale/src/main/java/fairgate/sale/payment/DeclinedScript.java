package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Calls `declined.lua`, which records a declined payment.
final class DeclinedScript {
  private static final LuaScript SCRIPT = LuaScript.load(DeclinedScript.class, "declined.lua");

  private final RedisClient redis;

  DeclinedScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The reply of the script.
  enum Outcome {
    /// The order has the time of its last declined payment.
    DECLINED,
    /// The order is no longer pending.
    OVER,
    /// There is no such order.
    UNKNOWN
  }

  Future<Outcome> run(SaleKeys keys, OrderId id) {
    return redis
        .run(SCRIPT, List.of(keys.order(id)), List.of())
        .map(reply -> Outcome.valueOf(reply.text()));
  }
}
