package fairgate.sale.deposit;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/// Calls `end_deposits.lua`, which ends deposits that no order can use any more.
record EndDepositsScript(RedisClient redis, SaleKeys.Style style) {
  private static final LuaScript SCRIPT =
      LuaScript.load(EndDepositsScript.class, "end_deposits.lua");

  enum End {
    /// Nothing yet.
    WAIT,
    ORDER,
    /// The buyer could not buy.
    RETURN,
    /// The buyer let the turn pass.
    PASSED,
    /// The provider took the money back.
    GONE,
    MISSING
  }

  /// Ends those deposits of a sale whose time has come, and tells of each.
  Future<List<End>> run(List<OrderId> ids) {
    return run(ids, "");
  }

  /// As `run`, and those that no place has had: nobody can use them any more.
  Future<List<End>> endUnused(List<OrderId> ids) {
    return run(ids, "over");
  }

  /// Ends a deposit that the provider takes back, unless an order has used it. The job leaves it to
  /// the ledger, so that its money goes back once.
  Future<List<End>> endAtOnce(OrderId id) {
    return run(List.of(id), "gone");
  }

  private Future<List<End>> run(List<OrderId> ids, String mode) {
    SaleKeys keys = SaleKeys.of(ids.getFirst().product(), style);
    List<String> args = new ArrayList<>(List.of(keys.sessionPrefix(), mode));
    ids.forEach(id -> args.add(id.value()));
    return redis
        .run(SCRIPT, List.of(keys.sale(), keys.deposits()), args)
        .map(reply -> reply.texts().stream().map(End::valueOf).toList());
  }
}
