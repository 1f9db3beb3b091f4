package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;

/// Calls `extend.lua`, which extends the payment deadline of a pending order.
final class ExtendScript {
  private static final LuaScript SCRIPT = LuaScript.load(ExtendScript.class, "extend.lua");

  private final RedisClient redis;

  ExtendScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The reply of the script.
  enum Outcome {
    EXTENDED,
    /// The deadline is as late already; nothing changed.
    LATER,
    /// The deadline has passed, and the order may be closed at the provider; nothing changed.
    DUE,
    /// The order is not pending.
    OVER,
    /// There is no such order.
    UNKNOWN
  }

  /// @param reason for the ledger
  Future<Outcome> run(SaleKeys keys, OrderId order, Instant payBy, String reason) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.sale(), keys.order(order), keys.pending(), keys.outbox()),
            List.of(order.value(), Long.toString(payBy.toEpochMilli()), reason))
        .map(
            reply -> {
              if (reply.textAt(0).equals("RETRY")) {
                throw Edges.unexpected(SCRIPT, reply);
              }
              return Outcome.valueOf(reply.textAt(0));
            });
  }
}
