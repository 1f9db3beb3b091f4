package fairgate.sale;

import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// Calls `trust.lua`, which lets a sale be written again after a restart of Redis.
record TrustScript(RedisClient redis) {
  private static final LuaScript SCRIPT = LuaScript.load(TrustScript.class, "trust.lua");

  enum Reply {
    /// The sale may be written.
    TRUSTED,
    /// The sale is older than the ledger, or being rebuilt.
    BEHIND,
    NO_SALE
  }

  /// @param head how far the ledger has read the sale's outbox
  /// @param epoch the epoch of the sale's next events; used only when Redis was started anew
  Future<Reply> run(SaleKeys keys, LedgerView.Head head, long epoch) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.sale()),
            List.of(
                Long.toString(head.epoch()), Long.toString(head.lastSeq()), Long.toString(epoch)))
        .map(reply -> Reply.valueOf(reply.text()));
  }
}
