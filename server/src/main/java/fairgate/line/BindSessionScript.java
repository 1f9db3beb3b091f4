package fairgate.line;

import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// `bind_session.lua`: a place in a queue becomes a LINE user's.
final class BindSessionScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(BindSessionScript.class, "bind_session.lua");

  private final RedisClient redis;
  private final String life;

  /// @param life of a binding, and of the mark of a used link
  BindSessionScript(RedisClient redis, Duration life) {
    this.redis = redis;
    this.life = Long.toString(life.toSeconds());
  }

  /// Whether the place is the user's now.
  Future<Boolean> run(JoinTokens.Link link, SessionId session) {
    return redis
        .run(
            SCRIPT,
            List.of(
                LineKeys.link(link.nonce()),
                LineKeys.session(session),
                LineKeys.user(link.userId())),
            List.of(link.userId(), link.product().value(), session.value(), life, life))
        .map(reply -> reply.text().equals("BOUND"));
  }
}
