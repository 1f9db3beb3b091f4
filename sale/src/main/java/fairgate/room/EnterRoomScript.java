package fairgate.room;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Calls `enter_room.lua`, which lets a visitor in whose turn has come.
final class EnterRoomScript {
  private static final LuaScript SCRIPT = LuaScript.load(EnterRoomScript.class, "enter_room.lua");

  private final RedisClient redis;
  private final RoomConfig config;

  EnterRoomScript(RedisClient redis, RoomConfig config) {
    this.redis = redis;
    this.config = config;
  }

  /// The reply.
  enum Word {
    ENTER,
    INSIDE,
    NOT_YET,
    WAIT,
    GONE,
    OFF,
    ENDED,
    EPOCH,
    BUSY,
    NO_ROOM
  }

  /// @param ticket in the drawn order
  /// @param turn id of the turn
  /// @param drawn number of drawn tickets that this node knows
  Future<Word> run(Room room, long ticket, String turn, int drawn) {
    RoomStateKeys keys = new RoomStateKeys(room.id());
    return redis
        .run(
            SCRIPT,
            List.of(
                keys.state(),
                keys.inside(),
                keys.reservedOrder(),
                keys.due(),
                keys.turns(),
                keys.exchanged()),
            List.of(
                keys.prefix(),
                Long.toString(room.epoch()),
                Long.toString(ticket),
                turn,
                Long.toString(config.turn().toMillis()),
                Integer.toString(room.admission().capacity()),
                Double.toString(room.admission().rate()),
                Integer.toString(drawn)))
        .map(reply -> Word.valueOf(reply.text().split(" ", -1)[0]));
  }
}
