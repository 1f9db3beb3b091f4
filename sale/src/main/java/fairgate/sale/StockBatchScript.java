package fairgate.sale;

import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Calls `stock_batch.lua`, which puts a batch of units on sale, each once and in order.
final class StockBatchScript {
  private static final LuaScript SCRIPT = LuaScript.load(StockBatchScript.class, "stock_batch.lua");

  private final RedisClient redis;

  StockBatchScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The reply of the script.
  enum Reply {
    APPLIED,
    ALREADY,
    GAP,
    NO_SALE
  }

  Future<Reply> run(SaleKeys keys, int batch, int quantity) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.sale(), keys.stock(), keys.outbox()),
            List.of(Integer.toString(batch), Integer.toString(quantity)))
        .map(reply -> Reply.valueOf(reply.text()));
  }
}
