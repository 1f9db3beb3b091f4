package fairgate.sale;

import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.util.List;

/// Calls `live.lua`, which reads the counters of a sale at one instant. Calls that wait at the same
/// time share a run.
final class LiveScript {
  private static final LuaScript SCRIPT = LuaScript.load(LiveScript.class, "live.lua");
  private static final ScriptBatcher.Shared SHARED =
      new ScriptBatcher.Shared("live", List.of(), List.of());
  private static final int MAX_BATCH_SIZE = 64;

  private final ScriptBatcher batcher;

  LiveScript(RedisClient redis) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
  }

  Future<LiveCounters> run(SaleKeys keys) {
    return batcher.call(SHARED, item(keys)).map(LiveCounters::parse);
  }

  /// Reads sales together.
  ///
  /// @return their counters, in the order of the sales
  List<Future<LiveCounters>> run(List<SaleKeys> sales) {
    return batcher.callAll(SHARED, sales.stream().map(LiveScript::item).toList()).stream()
        .map(reply -> reply.map(LiveCounters::parse))
        .toList();
  }

  private static ScriptBatcher.Item item(SaleKeys keys) {
    return new ScriptBatcher.Item(
        List.of(
            keys.sale(),
            keys.stock(),
            keys.waiting(),
            keys.active(),
            keys.ready(),
            keys.purchases(),
            keys.pending(),
            keys.outbox()),
        List.of());
  }
}
