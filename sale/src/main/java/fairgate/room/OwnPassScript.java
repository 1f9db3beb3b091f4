package fairgate.room;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.room.token.RoomClaims;
import io.vertx.core.Future;
import java.util.List;

/// Calls `own_pass.lua`, which gives a visit to the first browser that joins a sale with its pass.
final class OwnPassScript {
  private static final LuaScript SCRIPT = LuaScript.load(OwnPassScript.class, "own_pass.lua");

  private final RedisClient redis;

  OwnPassScript(RedisClient redis) {
    this.redis = redis;
  }

  /// Whether the visit belongs to the browser; false after its end. A repeat has the same result.
  ///
  /// @param browser hash of the browser
  Future<Boolean> run(String room, RoomClaims pass, String browser) {
    RoomStateKeys keys = new RoomStateKeys(room);
    return redis
        .run(
            SCRIPT,
            List.of(keys.state()),
            List.of(
                keys.prefix(),
                Long.toString(pass.epoch()),
                Long.toString(pass.ticket()),
                browser,
                Long.toString(Room.ABSOLUTE_SESSION.toMillis())))
        .map(reply -> reply.number() == 1);
  }
}
