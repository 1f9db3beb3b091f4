package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/// Calls `status.lua`, which reports the places of sessions, many per run.
final class StatusScript {
  private static final LuaScript SCRIPT = LuaScript.load(StatusScript.class, "status.lua");
  private static final int MOST_ITEMS = 128;
  private static final ScriptBatcher.Shared PLAIN = shared(SaleKeys.Style.PLAIN);
  private static final ScriptBatcher.Shared CLUSTER = shared(SaleKeys.Style.CLUSTER);

  private final ScriptBatcher batcher;

  StatusScript(RedisClient redis) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MOST_ITEMS);
  }

  private static ScriptBatcher.Shared shared(SaleKeys.Style style) {
    return new ScriptBatcher.Shared(
        "status", List.of(), List.of(SaleKeys.open(style), SaleKeys.close(style)));
  }

  /// The place of a session in a single Redis; empty when there is no such session.
  Future<Optional<Place>> run(SessionId session) {
    return run(PLAIN, session, "session:" + session.value());
  }

  /// The same in a cluster.
  ///
  /// @param sale of the session's product
  Future<Optional<Place>> run(SessionId session, SaleKeys sale) {
    return run(CLUSTER, session, sale.session(session));
  }

  private Future<Optional<Place>> run(ScriptBatcher.Shared shared, SessionId session, String key) {
    return batcher.call(
        shared,
        new ScriptBatcher.Item(List.of(key), List.of()),
        (reply, _) ->
            "UNKNOWN".equals(reply) ? Optional.empty() : Optional.of(Place.parse(session, reply)));
  }
}
