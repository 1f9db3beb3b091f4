package fairgate.room;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.util.List;

/// Calls `walk_in.lua`, which lets visitors into a room on standby and counts them.
final class WalkInScript {
  private static final LuaScript SCRIPT = LuaScript.load(WalkInScript.class, "walk_in.lua");
  private static final int MAX_ITEMS = 256;

  private final ScriptBatcher batcher;

  WalkInScript(RedisClient redis) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_ITEMS);
  }

  /// The reply.
  enum Word {
    PASS,
    FULL,
    ON,
    NO_ROOM
  }

  /// The result.
  ///
  /// @param ticket of the visitor; -1 when the visitor has to wait
  record WalkIn(Word word, long ticket, long epoch) {}

  Future<WalkIn> run(Room room) {
    RoomStateKeys keys = new RoomStateKeys(room.id());
    return batcher.call(
        new ScriptBatcher.Shared(
            keys.room() + '/' + room.version(),
            List.of(keys.state(), keys.inside()),
            List.of(
                keys.prefix(),
                Integer.toString(room.admission().capacity()),
                Long.toString(room.session().toMillis() + 1_000))),
        new ScriptBatcher.Item(List.of(), List.of("1")),
        (text, rest) -> {
          String[] words = text.split(" ", -1);
          return new WalkIn(
              Word.valueOf(words[0]),
              words.length > 1 ? Long.parseLong(words[1]) : -1,
              rest.parsed(Long::parseLong));
        });
  }
}
