package fairgate.sale.deposit;

import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Calls `put_deposit.lua`, which lets the owner of a paid deposit join once.
final class PutDepositScript {
  private static final LuaScript SCRIPT = LuaScript.load(PutDepositScript.class, "put_deposit.lua");

  private final RedisClient redis;
  private final SaleKeys.Style style;

  PutDepositScript(RedisClient redis, SaleKeys.Style style) {
    this.redis = redis;
    this.style = style;
  }

  /// False while Redis cannot be trusted with it.
  Future<Boolean> run(Deposit deposit) {
    SaleKeys keys = SaleKeys.of(deposit.id().product(), style);
    return redis
        .run(
            SCRIPT,
            List.of(keys.sale(), keys.deposits()),
            List.of(
                deposit.id().value(),
                deposit.owner(),
                Long.toString(deposit.amount().minorUnits()),
                deposit.amount().currency()))
        .map(reply -> !reply.text().equals("RETRY"));
  }
}
