package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.util.List;

/// Says on purpose that a paid order's money is to go back: `refund_due.lua`.
final class RefundDueScript {
  private static final LuaScript SCRIPT = LuaScript.load(RefundDueScript.class, "refund_due.lua");

  private final RedisClient redis;

  RefundDueScript(RedisClient redis) {
    this.redis = redis;
  }

  /// What asking for a refund did.
  enum Outcome {
    /// The refund worker will give the money back.
    ASKED,
    /// It was asked before, or has gone back; nothing changed.
    ALREADY,
    /// There is no payment to give back.
    UNPAID,
    /// No such order.
    UNKNOWN
  }

  /// @param reason for the ledger and the audit trail
  Future<Outcome> run(SaleKeys keys, OrderId order, String reason) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.sale(), keys.order(order), keys.outbox()),
            List.of(order.value(), reason))
        .map(RefundDueScript::outcome);
  }

  private static Outcome outcome(RedisReply reply) {
    String word = reply.textAt(0);
    if (word.equals("RETRY")) {
      throw Edges.unexpected(SCRIPT, reply);
    }
    return Outcome.valueOf(word);
  }
}
