package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;

/// The edge `paid -> refunded`, and the mark on a payment that only had to go back: `refunded.lua`.
final class RefundedScript {
  private static final LuaScript SCRIPT = LuaScript.load(RefundedScript.class, "refunded.lua");

  private final RedisClient redis;

  RefundedScript(RedisClient redis) {
    this.redis = redis;
  }

  /// What marking a payment as given back did.
  enum Outcome {
    /// The order was paid with it and is refunded now.
    REFUNDED,
    /// The order does not stand on this payment and stays as it is.
    MARKED,
    /// It was marked before; nothing changed.
    ALREADY,
    /// Nobody said that this payment is to go back; nothing changed.
    NOT_DUE,
    /// No such order.
    UNKNOWN
  }

  /// Marks the payment, once its money has gone back.
  Future<Outcome> run(SaleKeys keys, Order order, Payment payment) {
    return redis
        .run(
            SCRIPT,
            Edges.keys(keys, order),
            Edges.args(
                order,
                payment.id(),
                Long.toString(payment.amount().minorUnits()),
                payment.amount().currency()))
        .map(RefundedScript::outcome);
  }

  private static Outcome outcome(RedisReply reply) {
    String word = reply.textAt(0);
    if (word.equals("RETRY")) {
      throw Edges.unexpected(SCRIPT, reply);
    }
    return Outcome.valueOf(word);
  }
}
