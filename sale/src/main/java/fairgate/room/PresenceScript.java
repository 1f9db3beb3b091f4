package fairgate.room;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// Calls `presence.lua`, which records visitors that are present or leave.
final class PresenceScript {
  private static final LuaScript SCRIPT = LuaScript.load(PresenceScript.class, "presence.lua");
  private static final int MAX_ITEMS = 256;

  private final ScriptBatcher batcher;
  private final Duration period;

  PresenceScript(RedisClient redis, Duration period) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_ITEMS);
    this.period = period;
  }

  /// The reply.
  enum Word {
    HERE,
    LEFT,
    GONE,
    BUSY,
    NO_ROOM
  }

  /// Records that the visitor is present.
  ///
  /// @param ticket in the drawn order
  /// @param drawn number of drawn tickets that this node knows
  Future<Word> here(RoomStateKeys keys, long ticket, int drawn) {
    return run(keys, drawn, "here " + ticket);
  }

  /// Gives up the ticket.
  Future<Word> leave(RoomStateKeys keys, long ticket, int drawn) {
    return run(keys, drawn, "leave " + ticket);
  }

  private Future<Word> run(RoomStateKeys keys, int drawn, String item) {
    return batcher.call(
        new ScriptBatcher.Shared(
            keys.room() + '/' + drawn,
            List.of(keys.state()),
            List.of(keys.prefix(), Long.toString(period.toMillis()), Integer.toString(drawn))),
        new ScriptBatcher.Item(List.of(), List.of(item)),
        (text, _) -> Word.valueOf(text));
  }
}
