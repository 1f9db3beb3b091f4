package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Calls `end_pause.lua`, which ends the pauses of a buyer.
final class EndPauseScript {
  private static final LuaScript SCRIPT = LuaScript.load(EndPauseScript.class, "end_pause.lua");

  private final RedisClient redis;

  EndPauseScript(RedisClient redis) {
    this.redis = redis;
  }

  /// Returns the number of ended pauses. A buyer without an account counts as its device.
  ///
  /// @param device the hash of the device within the sale; null for none
  /// @param user null without an account
  Future<Long> run(SaleKeys sale, @Nullable String device, @Nullable String user) {
    List<String> pauses = new ArrayList<>();
    if (device != null) {
      pauses.add(sale.deviceCooldown(device));
      pauses.add(sale.userCooldown(device));
    }
    if (user != null) {
      pauses.add(sale.userCooldown(user));
    }
    return pauses.isEmpty()
        ? Future.succeededFuture(0L)
        : redis.run(SCRIPT, pauses, List.of()).map(reply -> reply.number());
  }
}
