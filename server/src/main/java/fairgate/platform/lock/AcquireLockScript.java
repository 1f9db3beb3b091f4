package fairgate.platform.lock;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.util.List;

/// `acquire_lock.lua`: locks taken where they are free. Calls that wait at the same time share a
/// run.
final class AcquireLockScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(AcquireLockScript.class, "acquire_lock.lua");
  private static final ScriptBatcher.Shared SHARED =
      new ScriptBatcher.Shared("lock", List.of(), List.of());
  private static final int MOST_ITEMS = 64;

  private final ScriptBatcher batcher;

  AcquireLockScript(RedisClient redis) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MOST_ITEMS);
  }

  /// The script's word.
  Future<String> run(String key, String owner, long lifeMs) {
    return batcher.call(
        SHARED, new ScriptBatcher.Item(List.of(key), List.of(owner, Long.toString(lifeMs))));
  }
}
