package fairgate.platform.lock;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.util.List;

/// `renew_lock.lua`: renews locks. Concurrent calls share a batch.
final class RenewLockScript {
  private static final LuaScript SCRIPT = LuaScript.load(RenewLockScript.class, "renew_lock.lua");
  private static final ScriptBatcher.Shared SHARED =
      new ScriptBatcher.Shared("lock", List.of(), List.of());
  private static final int MAX_BATCH_SIZE = 64;

  private final ScriptBatcher batcher;

  RenewLockScript(RedisClient redis) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
  }

  /// Returns the reply word of the script.
  Future<String> run(String key, String owner, long lifeMs) {
    return batcher.call(
        SHARED, new ScriptBatcher.Item(List.of(key), List.of(owner, Long.toString(lifeMs))));
  }
}
