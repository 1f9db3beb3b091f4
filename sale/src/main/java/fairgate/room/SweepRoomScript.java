package fairgate.room;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Calls `sweep_room.lua`, which marks absent tickets as gone.
final class SweepRoomScript {
  private static final LuaScript SCRIPT = LuaScript.load(SweepRoomScript.class, "sweep_room.lua");

  private final RedisClient redis;

  SweepRoomScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The number of tickets of the block that were found absent.
  Future<Long> run(RoomStateKeys keys, long period, long block) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.state(), keys.scratch()),
            List.of(keys.prefix(), Long.toString(period), Long.toString(block)))
        .map(reply -> reply.number());
  }
}
