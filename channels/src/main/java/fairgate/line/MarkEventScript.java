package fairgate.line;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// Client of `mark_event.lua`: records the progress of events. Concurrent calls share a script run.
final class MarkEventScript {
  private static final LuaScript SCRIPT = LuaScript.load(MarkEventScript.class, "mark_event.lua");
  private static final int MAX_ITEMS = 128;

  private final ScriptBatcher batcher;
  private final ScriptBatcher.Shared shared;

  MarkEventScript(RedisClient redis, String owner, Duration lease, Duration later) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_ITEMS);
    this.shared =
        new ScriptBatcher.Shared(
            "line",
            List.of(LineKeys.INBOX, LineKeys.PENDING),
            List.of(owner, Long.toString(lease.toMillis()), Long.toString(later.toMillis())));
  }

  /// Records the progress; false when the owner has lost the event.
  Future<Boolean> run(String id, String progress) {
    return batcher
        .call(shared, new ScriptBatcher.Item(List.of(), List.of(id, progress)))
        .map("OK"::equals);
  }
}
