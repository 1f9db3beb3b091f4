package fairgate.sale;

import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// `trust.lua`: a sale that was found as new as the ledger, after Redis was started anew.
final class TrustScript {
  private static final LuaScript SCRIPT = LuaScript.load(TrustScript.class, "trust.lua");

  private final RedisClient redis;

  TrustScript(RedisClient redis) {
    this.redis = redis;
  }

  /// What the script answered.
  enum Word {
    /// The sale may be written to.
    TRUSTED,
    /// It is older than the ledger, or being rebuilt.
    BEHIND,
    NO_SALE
  }

  /// @param head how far the ledger has read the sale's outbox
  Future<Word> run(SaleKeys keys, LedgerView.Head head) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.sale()),
            List.of(Long.toString(head.epoch()), Long.toString(head.lastSeq())))
        .map(reply -> Word.valueOf(reply.text()));
  }
}
