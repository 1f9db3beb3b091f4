package fairgate.platform.lock;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.util.List;

/// `acquire_lock.lua`: takes free locks. Concurrent calls share a batch.
final class AcquireLockScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(AcquireLockScript.class, "acquire_lock.lua");
  private static final int MAX_BATCH_SIZE = 64;

  private final ScriptBatcher batcher;
  private final ScriptBatcher.Shared shared =
      new ScriptBatcher.Shared("lock", List.of(), List.of());

  AcquireLockScript(RedisClient redis) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
  }

  /// Returns the reply word of the script.
  Future<String> run(String key, String owner, long lifeMs) {
    return batcher.call(
        shared, new ScriptBatcher.Item(List.of(key), List.of(owner, Long.toString(lifeMs))));
  }
}
