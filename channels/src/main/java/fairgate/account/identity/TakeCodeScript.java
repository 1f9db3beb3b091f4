package fairgate.account.identity;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/// `take_code.lua`: one try at a one-time code.
final class TakeCodeScript {
  private static final LuaScript SCRIPT = LuaScript.load(TakeCodeScript.class, "take_code.lua");

  private final RedisClient redis;

  TakeCodeScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The digest to compare with; empty when there is no code, or no try left.
  Future<Optional<String>> run(String key, int mostTries) {
    return redis
        .run(SCRIPT, List.of(key), List.of(Integer.toString(mostTries)))
        .map(RedisReply::text)
        .map(digest -> digest.isEmpty() ? Optional.empty() : Optional.of(digest));
  }
}
