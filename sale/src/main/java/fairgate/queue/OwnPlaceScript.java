package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Calls `own_place.lua`, which gives a guest's place to an account.
final class OwnPlaceScript {
  private static final LuaScript SCRIPT = LuaScript.load(OwnPlaceScript.class, "own_place.lua");

  private final RedisClient redis;

  OwnPlaceScript(RedisClient redis) {
    this.redis = redis;
  }

  /// What has happened.
  enum Result {
    /// The device has no place as a guest, or the sale does not count devices.
    NONE,
    /// The account has the place now.
    OWNED,
    /// The same, and another place of the account has ended.
    MERGED,
    /// The guest's place has ended: the account has one further in front.
    ENDED;

    /// Whether the queue has become shorter.
    boolean shorter() {
      return this == MERGED || this == ENDED;
    }
  }

  /// @param device the hash of the device within the sale
  Future<Result> run(SaleKeys sale, String device, String account) {
    return redis
        .run(
            SCRIPT,
            List.of(sale.sale(), sale.waiting(), sale.active(), sale.ready(), sale.devices()),
            List.of(device, account, sale.sessionPrefix(), sale.lockPrefix()))
        .map(reply -> Result.valueOf(reply.text()));
  }
}
