package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;

/// Calls `reversed.lua`: money that went back without a request of this server.
final class ReversedScript {
  private static final LuaScript SCRIPT = LuaScript.load(ReversedScript.class, "reversed.lua");

  private final RedisClient redis;

  ReversedScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The reply of the script.
  enum Outcome {
    /// Nothing of the payment is left; the order is refunded now.
    REFUNDED,
    /// A part went back; the order stays paid.
    PART,
    /// Booked before, or asked back by this server; nothing changed.
    ALREADY,
    /// There is no such order.
    UNKNOWN
  }

  /// @param payment with the amount of the dispute, or all that went back so far
  /// @param reason for the ledger
  /// @param dispute its name; empty for a refund
  Future<Outcome> run(SaleKeys keys, Order order, Payment payment, String reason, String dispute) {
    return redis
        .run(
            SCRIPT,
            Edges.keys(keys, order),
            Edges.args(
                order,
                payment.id(),
                Long.toString(payment.amount().minorUnits()),
                payment.amount().currency(),
                reason,
                dispute))
        .map(
            reply -> {
              if (reply.textAt(0).equals("RETRY")) {
                throw Edges.unexpected(SCRIPT, reply);
              }
              return Outcome.valueOf(reply.textAt(0));
            });
  }
}
