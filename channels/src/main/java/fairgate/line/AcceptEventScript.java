package fairgate.line;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// Client of `accept_event.lua`: stores events in the inbox, each id once. Concurrent calls share a
/// script run.
final class AcceptEventScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(AcceptEventScript.class, "accept_event.lua");
  private static final int MAX_ITEMS = 64;

  private final ScriptBatcher batcher;
  private final ScriptBatcher.Shared shared;

  AcceptEventScript(RedisClient redis, String owner, Duration lease, Duration mark) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_ITEMS);
    this.shared =
        new ScriptBatcher.Shared(
            "line",
            List.of(LineKeys.INBOX, LineKeys.PENDING),
            List.of(owner, Long.toString(lease.toMillis()), Long.toString(mark.toSeconds())));
  }

  /// Stores an event; true when its id is new.
  Future<Boolean> run(String id, String payload) {
    return batcher
        .call(shared, new ScriptBatcher.Item(List.of(LineKeys.event(id)), List.of(id, payload)))
        .map("ACCEPTED"::equals);
  }
}
