package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;

/// Keeps the order between the queue of a sale and its waiting list, by the time at which somebody
/// began to wait. Calls `list_turn.lua`.
public final class ListTurnScript {
  private static final LuaScript SCRIPT = LuaScript.load(ListTurnScript.class, "list_turn.lua");

  private final RedisClient redis;
  private final SaleKeys.Style keyStyle;

  ListTurnScript(RedisClient redis, SaleKeys.Style keyStyle) {
    this.redis = redis;
    this.keyStyle = keyStyle;
  }

  /// Tells the queue who is first on the list: who joined later is not admitted until the next
  /// notice. It is called every second.
  ///
  /// @param since the registration
  /// @param units that the person wishes
  /// @return whether the turn of this person has come
  public Future<Boolean> first(ProductId product, Instant since, Seat seat, int units) {
    return run(product, since.toEpochMilli(), seat, units);
  }

  /// Tells the queue that nobody is on the list.
  public Future<Boolean> nobody(ProductId product) {
    return run(product, 0, Seat.IN_ORDER, 0);
  }

  private Future<Boolean> run(ProductId product, long since, Seat seat, int units) {
    SaleKeys keys = SaleKeys.of(product, keyStyle);
    return redis
        .run(
            SCRIPT,
            List.of(keys.sale(), keys.waiting(), keys.active(), keys.stock()),
            List.of(Long.toString(since), seat.wire(), Integer.toString(units)))
        .map(reply -> reply.text().equals("TURN"));
  }
}
