package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.util.List;

/// Calls `refund_due.lua`, which starts the refund of a paid order on request.
final class RefundDueScript {
  private static final LuaScript SCRIPT = LuaScript.load(RefundDueScript.class, "refund_due.lua");

  private final RedisClient redis;

  RefundDueScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The reply of the script.
  enum Outcome {
    /// The refund worker pays the money back.
    ASKED,
    /// The refund was requested or done before; nothing changed.
    ALREADY,
    /// The order needed no payment; its units may be released at once.
    FREE,
    /// The order is not paid.
    UNPAID,
    /// There is no such order.
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
