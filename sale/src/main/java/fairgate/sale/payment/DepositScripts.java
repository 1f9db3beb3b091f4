package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/// Calls `put_deposit.lua` and `end_deposits.lua`: what joins and purchases know of deposits.
final class DepositScripts {
  private static final LuaScript PUT = LuaScript.load(DepositScripts.class, "put_deposit.lua");
  private static final LuaScript END = LuaScript.load(DepositScripts.class, "end_deposits.lua");

  private final RedisClient redis;
  private final SaleKeys.Style style;

  DepositScripts(RedisClient redis, SaleKeys.Style style) {
    this.redis = redis;
    this.style = style;
  }

  /// What has become of a deposit.
  enum End {
    /// Nothing yet.
    WAIT,
    /// An order has used it.
    ORDER,
    /// The buyer could not buy.
    RETURN,
    /// The buyer let the turn pass.
    PASSED,
    /// Redis does not know it.
    MISSING
  }

  /// Lets the owner join once. False while Redis cannot be trusted with it.
  Future<Boolean> put(Deposit deposit) {
    SaleKeys keys = keys(deposit.id());
    return redis
        .run(
            PUT,
            List.of(keys.sale(), keys.deposits()),
            List.of(
                deposit.id().value(),
                deposit.owner(),
                Long.toString(deposit.amount().minorUnits())))
        .map(reply -> !reply.text().equals("RETRY"));
  }

  /// Ends those deposits of a sale whose time has come, and tells of each.
  Future<List<End>> end(List<OrderId> ids) {
    return end(ids, false);
  }

  /// Ends a deposit whose money is gone, unless an order has used it.
  Future<List<End>> endAtOnce(OrderId id) {
    return end(List.of(id), true);
  }

  private Future<List<End>> end(List<OrderId> ids, boolean atOnce) {
    SaleKeys keys = keys(ids.getFirst());
    List<String> args = new ArrayList<>(List.of(keys.sessionPrefix(), atOnce ? "1" : "0"));
    ids.forEach(id -> args.add(id.value()));
    return redis
        .run(END, List.of(keys.sale(), keys.deposits()), args)
        .map(reply -> reply.texts().stream().map(End::valueOf).toList());
  }

  private SaleKeys keys(OrderId id) {
    return SaleKeys.of(id.product(), style);
  }
}
