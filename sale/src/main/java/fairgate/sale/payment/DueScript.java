package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
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

  /// The reply of the script.
  ///
  /// @param pending the number of all pending orders
  /// @param quietMillis time until the next deadline of the sale, also of orders to come
  /// @param orders those that were taken, earliest deadline first
  record Due(long pending, long quietMillis, List<OrderId> orders) {}

  /// Takes at most `max` orders. No node gets one of them again before the lease ends.
  ///
  /// @param stop the time for which payment deadlines stand still from now on; zero when the
  ///   provider answers
  Future<Due> run(SaleKeys keys, int max, Duration lease, Duration stop) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.pending(), keys.sale()),
            List.of(
                Integer.toString(max),
                Long.toString(lease.toMillis()),
                Long.toString(stop.toMillis())))
        .map(DueScript::due);
  }

  private static Due due(RedisReply reply) {
    List<String> texts = reply.texts();
    return new Due(
        Long.parseLong(texts.get(0)),
        Long.parseLong(texts.get(1)),
        texts.stream().skip(2).map(OrderId::new).toList());
  }
}
