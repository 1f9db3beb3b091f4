package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.sale.ledger.OrderStatus;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/// Calls `release.lua`: the transitions `pending -> cancelled` and `pending -> expired`.
final class ReleaseScript {
  private static final LuaScript SCRIPT = LuaScript.load(ReleaseScript.class, "release.lua");

  private final RedisClient redis;

  ReleaseScript(RedisClient redis) {
    this.redis = redis;
  }

  /// Ends the reservation if it is still pending and, for `EXPIRED`, if its window is over.
  Future<ReleaseOutcome> run(SaleKeys keys, Order order, ReleaseOutcome.Reason reason) {
    List<String> all = new ArrayList<>(Edges.keys(keys, order));
    all.add(keys.devices());
    all.add(keys.userCooldown(order.user()));
    all.add(keys.deviceCooldown(order.device()));
    return redis
        .run(SCRIPT, all, Edges.args(order, reason.status(), reason.word()))
        .map(ReleaseScript::outcome);
  }

  private static ReleaseOutcome outcome(RedisReply reply) {
    return switch (reply.textAt(0)) {
      case "RELEASED" -> new ReleaseOutcome.Released();
      case "ALREADY" -> new ReleaseOutcome.AlreadyOver(OrderStatus.of(reply.textAt(1)));
      case "PAID" -> new ReleaseOutcome.Paid();
      case "NOT_DUE" -> new ReleaseOutcome.NotDue();
      case "UNKNOWN" -> new ReleaseOutcome.UnknownOrder();
      default -> throw Edges.unexpected(SCRIPT, reply);
    };
  }
}
