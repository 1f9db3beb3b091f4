package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/// `status.lua`: where sessions stand, many per run.
final class StatusScript {
  private static final LuaScript SCRIPT = LuaScript.load(StatusScript.class, "status.lua");
  private static final int MOST_ITEMS = 128;
  private static final ScriptBatcher.Shared SHARED =
      new ScriptBatcher.Shared(
          "status",
          List.of(),
          List.of(SaleKeys.open(SaleKeys.Style.PLAIN), SaleKeys.close(SaleKeys.Style.PLAIN)));

  private final ScriptBatcher batcher;

  StatusScript(RedisClient redis) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MOST_ITEMS);
  }

  /// Empty when there is no such session.
  Future<Optional<Place>> run(SessionId session) {
    ScriptBatcher.Item item =
        new ScriptBatcher.Item(List.of("session:" + session.value()), List.of());
    return batcher
        .call(SHARED, item)
        .map(
            reply ->
                "UNKNOWN".equals(reply)
                    ? Optional.empty()
                    : Optional.of(Place.parse(session, reply)));
  }
}
