package fairgate.line;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// `mark_event.lua`: how far the work on events is. Calls that wait at the same time share a run.
final class MarkEventScript {
  private static final LuaScript SCRIPT = LuaScript.load(MarkEventScript.class, "mark_event.lua");
  private static final int MOST_ITEMS = 128;

  private final ScriptBatcher batcher;
  private final ScriptBatcher.Shared shared;

  MarkEventScript(RedisClient redis, String owner, Duration lease, Duration later) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MOST_ITEMS);
    this.shared =
        new ScriptBatcher.Shared(
            "line",
            List.of(LineKeys.INBOX, LineKeys.PENDING),
            List.of(owner, Long.toString(lease.toMillis()), Long.toString(later.toMillis())));
  }

  /// Whether the event is still the owner's.
  Future<Boolean> run(String id, String word) {
    return batcher
        .call(shared, new ScriptBatcher.Item(List.of(), List.of(id, word)))
        .map("OK"::equals);
  }
}
