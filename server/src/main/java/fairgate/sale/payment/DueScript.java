package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// Takes orders whose payment deadline has come: `due.lua`.
final class DueScript {
  private static final LuaScript SCRIPT = LuaScript.load(DueScript.class, "due.lua");

  private final RedisClient redis;

  DueScript(RedisClient redis) {
    this.redis = redis;
  }

  /// At most so many orders, earliest deadline first. None of them comes again, on any node, before
  /// the lease is over.
  Future<List<OrderId>> run(SaleKeys keys, int most, Duration lease) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.pending()),
            List.of(Integer.toString(most), Long.toString(lease.toMillis())))
        .map(reply -> reply.texts().stream().map(OrderId::new).toList());
  }
}
