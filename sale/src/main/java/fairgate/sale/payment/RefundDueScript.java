package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.util.List;

/// Calls `refund_due.lua`, which starts a refund of a paid order on request.
record RefundDueScript(RedisClient redis) {
  private static final LuaScript SCRIPT = LuaScript.load(RefundDueScript.class, "refund_due.lua");

  enum Outcome {
    /// The refund worker pays the money back.
    ASKED,
    /// The refund was requested or done before; nothing changed.
    ALREADY,
    /// The part was requested before with another amount.
    CONFLICT,
    /// The part is larger than what can still be refunded.
    TOO_MUCH,
    /// No money goes back; the units may be released at once.
    FREE,
    /// The order is not paid.
    UNPAID,
    UNKNOWN
  }

  /// The reply to a request for a part.
  ///
  /// @param refundable what can still be refunded, in minor units
  record PartReply(Outcome outcome, long refundable) {}

  /// Starts the refund of all that was not requested before.
  ///
  /// @param reason for the ledger and the audit trail
  Future<Outcome> rest(SaleKeys keys, OrderId order, String reason) {
    return run(keys, order, reason, "", "").map(reply -> outcome(reply.textAt(0)));
  }

  /// Starts the refund of a part.
  ///
  /// @param part the name of the part; a repeat of the same part changes nothing
  /// @param amount in minor units, at least 1
  Future<PartReply> part(SaleKeys keys, OrderId order, String reason, String part, long amount) {
    return run(keys, order, reason, part, Long.toString(amount))
        .map(reply -> new PartReply(outcome(reply.textAt(0)), Long.parseLong(reply.textAt(3))));
  }

  private Future<RedisReply> run(
      SaleKeys keys, OrderId order, String reason, String part, String amount) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.sale(), keys.order(order), keys.outbox()),
            List.of(order.value(), reason, part, amount))
        .map(
            reply -> {
              if (reply.textAt(0).equals("RETRY")) {
                throw OrderScripts.unexpected(SCRIPT, reply);
              }
              return reply;
            });
  }

  private static Outcome outcome(String word) {
    return Outcome.valueOf(word);
  }
}
