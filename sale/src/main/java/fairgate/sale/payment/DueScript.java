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

  /// Returns at most `max` orders, earliest deadline first. No node gets one of them again before
  /// the lease ends.
  Future<List<OrderId>> run(SaleKeys keys, int max, Duration lease) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.pending(), keys.sale()),
            List.of(Integer.toString(max), Long.toString(lease.toMillis())))
        .map(reply -> reply.texts().stream().map(OrderId::new).toList());
  }
}
