package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// Calls `due.lua`, which takes orders whose payment deadline has passed.
final class DueScript {
  private static final LuaScript SCRIPT = LuaScript.load(DueScript.class, "due.lua");

  private final RedisClient redis;

  DueScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The orders that were taken.
  ///
  /// @param orders earliest deadline first
  /// @param quietMillis time until the next deadline of the sale, also of orders to come
  record Taken(List<OrderId> orders, long quietMillis) {}

  /// Takes at most `max` orders. No node gets one of them again before the lease ends.
  Future<Taken> run(SaleKeys keys, int max, Duration lease) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.pending(), keys.sale()),
            List.of(Integer.toString(max), Long.toString(lease.toMillis())))
        .map(
            reply ->
                new Taken(
                    reply.texts().stream().skip(1).map(OrderId::new).toList(),
                    Long.parseLong(reply.textAt(0))));
  }
}
