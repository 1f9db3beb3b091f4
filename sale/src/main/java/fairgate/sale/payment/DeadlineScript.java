package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Calls `deadline.lua`, which reads the payment deadline of a pending order.
final class DeadlineScript {
  private static final LuaScript SCRIPT = LuaScript.load(DeadlineScript.class, "deadline.lua");

  private final RedisClient redis;

  DeadlineScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The deadline.
  ///
  /// @param payBy milliseconds since the epoch; 0 for none
  /// @param stands whether payment time stands still, so that the deadline moves on
  record Deadline(long payBy, boolean stands) {}

  Future<Deadline> run(SaleKeys keys, OrderId order) {
    return redis
        .run(SCRIPT, List.of(keys.sale(), keys.order(order)), List.of())
        .map(reply -> new Deadline(Long.parseLong(reply.textAt(0)), reply.textAt(1).equals("1")));
  }
}
