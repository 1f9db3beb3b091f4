package fairgate.link.cache;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// `put_link.lua`: a link put into Redis unless a newer one is there. Calls that wait at the same
/// time share a run.
final class PutLinkScript {
  private static final LuaScript SCRIPT = LuaScript.load(PutLinkScript.class, "put_link.lua");
  private static final ScriptBatcher.Shared SHARED =
      new ScriptBatcher.Shared("links", List.of(), List.of());
  private static final int MAX_BATCH_SIZE = 64;

  private final ScriptBatcher batcher;

  PutLinkScript(RedisClient redis) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
  }

  /// The script's reply.
  Future<String> run(String key, long version, Duration life, String value) {
    return batcher.call(
        SHARED,
        new ScriptBatcher.Item(
            List.of(key), List.of(Long.toString(version), Long.toString(life.toMillis()), value)));
  }
}
