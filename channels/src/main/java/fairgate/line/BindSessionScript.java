package fairgate.line;

import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// Client of `bind_session.lua`: binds a queue session to a LINE user.
final class BindSessionScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(BindSessionScript.class, "bind_session.lua");

  private final RedisClient redis;

  BindSessionScript(RedisClient redis) {
    this.redis = redis;
  }

  /// Binds the session; false when the link has already bound another session.
  ///
  /// @param life lifetime of the session
  Future<Boolean> run(JoinTokens.Link link, SessionId session, Duration life) {
    return redis
        .run(
            SCRIPT,
            List.of(
                LineKeys.link(link.nonce()),
                LineKeys.session(session),
                LineKeys.user(link.userId())),
            List.of(
                link.userId(),
                link.product().value(),
                session.value(),
                Long.toString(life.toMillis()),
                Long.toString(JoinTokens.LIFE.toMillis())))
        .map(reply -> reply.text().equals("BOUND"));
  }
}
