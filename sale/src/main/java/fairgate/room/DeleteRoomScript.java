package fairgate.room;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Calls `delete_room.lua`, which deletes the keys of a deleted room.
final class DeleteRoomScript {
  private static final LuaScript SCRIPT = LuaScript.load(DeleteRoomScript.class, "delete_room.lua");

  private final RedisClient redis;

  DeleteRoomScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The reply.
  enum Word {
    DELETED,
    MORE,
    IN_USE
  }

  /// One run, which deletes at most 400 blocks of tickets.
  Future<Word> run(PostgresRooms.Deleted room) {
    RoomStateKeys keys = new RoomStateKeys(room.id());
    return redis
        .run(SCRIPT, List.of(keys.state()), List.of(keys.prefix(), Long.toString(room.epoch())))
        .map(reply -> Word.valueOf(reply.text()));
  }
}
