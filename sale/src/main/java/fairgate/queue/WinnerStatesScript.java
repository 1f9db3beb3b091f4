package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/// Calls `winner_states.lua`, which reports what became of the offers to winners of a draw.
final class WinnerStatesScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(WinnerStatesScript.class, "winner_states.lua");

  private final RedisClient redis;

  WinnerStatesScript(RedisClient redis) {
    this.redis = redis;
  }

  /// One reply per session.
  Future<List<String>> run(SaleKeys keys, List<SessionId> sessions) {
    List<String> names = new ArrayList<>(List.of(keys.sale()));
    sessions.forEach(session -> names.add(keys.session(session)));
    return redis.run(SCRIPT, names, List.of(keys.orderPrefix())).map(RedisReply::texts);
  }
}
