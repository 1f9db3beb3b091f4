package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.sale.payment.PaymentConfig.LateMoney;
import io.vertx.core.Future;
import java.util.Locale;

/// Calls `confirm.lua`: the transition `pending -> paid`, and the handling of late, wrong and
/// second payments.
final class ConfirmScript {
  private static final LuaScript SCRIPT = LuaScript.load(ConfirmScript.class, "confirm.lua");

  private final RedisClient redis;

  ConfirmScript(RedisClient redis) {
    this.redis = redis;
  }

  /// Books the payment. When the future completes, the booking is as durable as Redis writes are.
  Future<ConfirmOutcome> run(SaleKeys keys, Order order, Payment payment, LateMoney late) {
    return redis
        .run(
            SCRIPT,
            Edges.keys(keys, order),
            Edges.args(
                order,
                payment.id(),
                Long.toString(payment.amount().minorUnits()),
                payment.amount().currency(),
                late.name().toLowerCase(Locale.ROOT)))
        .map(ConfirmScript::outcome);
  }

  private static ConfirmOutcome outcome(RedisReply reply) {
    return switch (reply.textAt(0)) {
      case "CONFIRMED" -> new ConfirmOutcome.Confirmed(false);
      case "LATE" -> new ConfirmOutcome.Confirmed(true);
      case "ALREADY" -> new ConfirmOutcome.AlreadyPaid();
      case "REFUND_DUE" -> new ConfirmOutcome.RefundDue();
      case "UNKNOWN" -> new ConfirmOutcome.UnknownOrder();
      default -> throw Edges.unexpected(SCRIPT, reply);
    };
  }
}
