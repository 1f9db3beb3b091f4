package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.Money;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;

/// Calls `refunded.lua`: the transition `paid -> refunded`, and the mark on a refunded payment that
/// had not paid the order.
final class RefundedScript {
  private static final LuaScript SCRIPT = LuaScript.load(RefundedScript.class, "refunded.lua");

  private final RedisClient redis;

  RefundedScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The reply of the script.
  enum Outcome {
    /// The order was paid with this payment and is refunded now.
    REFUNDED,
    /// The order was not paid with this payment and keeps its status.
    MARKED,
    /// The payment was marked before; nothing changed.
    ALREADY,
    /// No refund of this payment is due; nothing changed.
    NOT_DUE,
    /// There is no such order.
    UNKNOWN
  }

  /// Marks the payment, or a part of it, after the provider has refunded it.
  ///
  /// @param part empty = the payment
  Future<Outcome> run(SaleKeys keys, Order order, Payment payment, String part) {
    return run(keys, order, payment.id(), payment.amount(), "", part);
  }

  /// Releases the units of an order of which no money goes back.
  Future<Outcome> free(SaleKeys keys, Order order, String reason) {
    String payment = order.payment() == null ? "" : order.payment();
    return run(keys, order, payment, new Money(0, order.amount().currency()), reason, "");
  }

  private Future<Outcome> run(
      SaleKeys keys, Order order, String payment, Money amount, String reason, String part) {
    return redis
        .run(
            SCRIPT,
            Edges.keys(keys, order),
            Edges.args(
                order,
                payment,
                Long.toString(amount.minorUnits()),
                amount.currency(),
                reason,
                part))
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
