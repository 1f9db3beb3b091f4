package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.util.List;

/// Calls `expire.lua`, which ends places that are over. Sales whose passes come at the same time
/// share a run.
final class ExpireScript {
  /// Maximum number of places that one run ends, so that it takes milliseconds.
  static final int MAX_PLACES = 250;

  private static final LuaScript SCRIPT = LuaScript.load(ExpireScript.class, "expire.lua");
  private static final int MAX_BATCH_SIZE = 64;

  private final ScriptBatcher batcher;
  private final ScriptBatcher.Shared shared;

  ExpireScript(RedisClient redis) {
    this(redis, MAX_PLACES);
  }

  /// @param maxPlaces maximum number of places that one run ends
  ExpireScript(RedisClient redis, int maxPlaces) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
    this.shared =
        new ScriptBatcher.Shared("expire", List.of(), List.of(Integer.toString(maxPlaces)));
  }

  /// The result of one run.
  ///
  /// @param missed places whose purchase window was over
  /// @param closed places that ended with the sale
  /// @param more whether there is more to do at once
  /// @param saleState the state of the sale at that instant
  /// @param places number of places in waiting and active now
  /// @param untilChange ms until the clock opens or closes the sale; -1 when it will not
  /// @param absent ready places that ended because their sessions were absent
  record Run(
      int missed,
      int closed,
      boolean more,
      String saleState,
      int places,
      long untilChange,
      int absent) {
    static Run parse(String reply) {
      String[] f = reply.split("\\|", -1);
      return new Run(
          Integer.parseInt(f[0]),
          Integer.parseInt(f[1]),
          f[2].equals("1"),
          f[3],
          Integer.parseInt(f[5]),
          Long.parseLong(f[6]),
          Integer.parseInt(f[7]));
    }
  }

  /// @param isReached whether a browser has reached this node within a second
  /// @param looksForAbsent whether to look for ready places whose sessions are absent. That costs
  ///   more than all else of a pass
  Future<Run> run(SaleKeys keys, boolean isReached, boolean looksForAbsent) {
    return batcher
        .call(
            shared,
            new ScriptBatcher.Item(
                List.of(keys.sale(), keys.waiting(), keys.active(), keys.ready(), keys.devices()),
                List.of(
                    keys.sessionPrefix(),
                    keys.lockPrefix(),
                    isReached ? "1" : "0",
                    looksForAbsent ? "1" : "0")))
        .map(Run::parse);
  }
}
