package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Tells orders nobody knows from those Redis may have lost: `absent.lua`.
final class AbsentScript {
  private static final LuaScript SCRIPT = LuaScript.load(AbsentScript.class, "absent.lua");

  private final RedisClient redis;

  AbsentScript(RedisClient redis) {
    this.redis = redis;
  }

  /// Why an order is not there.
  enum Word {
    /// There is none.
    UNKNOWN,
    /// There is no such sale in Redis.
    NO_SALE,
    /// It may come, or has just come.
    RETRY
  }

  Future<Word> run(SaleKeys keys, OrderId id) {
    return redis
        .run(SCRIPT, List.of(keys.sale(), keys.order(id)), List.of())
        .map(reply -> Word.valueOf(reply.text()));
  }
}
