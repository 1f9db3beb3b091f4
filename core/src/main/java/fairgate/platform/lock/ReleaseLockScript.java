package fairgate.platform.lock;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.util.List;

/// `release_lock.lua`: releases locks for their owners. Concurrent calls share a batch.
final class ReleaseLockScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(ReleaseLockScript.class, "release_lock.lua");
  private static final ScriptBatcher.Shared SHARED =
      new ScriptBatcher.Shared("lock", List.of(), List.of());
  private static final int MAX_BATCH_SIZE = 64;

  private final ScriptBatcher batcher;

  ReleaseLockScript(RedisClient redis) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
  }

  /// Returns the reply word of the script.
  Future<String> run(String key, String owner) {
    return batcher.call(SHARED, new ScriptBatcher.Item(List.of(key), List.of(owner)));
  }
}
