package fairgate.link.cache;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// `tell_links.lua`: records the position up to which Redis has the changes.
final class TellLinksScript {
  private static final LuaScript SCRIPT = LuaScript.load(TellLinksScript.class, "tell_links.lua");
  private static final String BEHIND = "BEHIND ";

  private final RedisClient redis;

  TellLinksScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The position from which Redis must be updated again, or -1 if it has all changes up to `to`.
  Future<Long> run(long from, long to) {
    return redis
        .run(
            SCRIPT,
            List.of(redis.tag(LinkKeys.TAG) + LinkKeys.TOLD),
            List.of(Long.toString(from), Long.toString(to)))
        .map(
            reply ->
                reply.text().startsWith(BEHIND)
                    ? Long.parseLong(reply.text().substring(BEHIND.length()))
                    : -1L);
  }
}
