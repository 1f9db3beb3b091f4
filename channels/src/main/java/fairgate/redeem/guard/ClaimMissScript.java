package fairgate.redeem.guard;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import fairgate.redeem.guard.RedisClaimBudget.ClaimAttemptScript;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// `claim_miss.lua`: one miss of one subject, many per run.
final class ClaimMissScript {
  private static final LuaScript SCRIPT = LuaScript.load(ClaimMissScript.class, "claim_miss.lua");
  private static final int MAX_BATCH_SIZE = 128;
  private static final ScriptBatcher.Shared SHARED =
      new ScriptBatcher.Shared("claims", List.of(), List.of());

  private final ScriptBatcher batcher;

  ClaimMissScript(RedisClient redis) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
  }

  /// The limits of misses.
  ///
  /// @param allowed within `window`, before attempts are refused; 0 = unlimited
  /// @param banAfter misses within `banWindow` that ban for `banFor`; 0 = never
  record Rule(int allowed, Duration window, int banAfter, Duration banWindow, Duration banFor) {
    /// Misses that lead to nothing.
    static final Rule NONE =
        new Rule(0, Duration.ofHours(1), 0, Duration.ofHours(1), Duration.ofHours(1));
  }

  /// @param name of this miss; a second one of the same name is the same miss
  Future<ClaimAttemptScript.BudgetReply> run(ClaimKeys keys, Rule rule, String name) {
    return batcher
        .call(
            SHARED,
            new ScriptBatcher.Item(
                List.of(keys.misses(), keys.ban()),
                List.of(
                    Integer.toString(rule.banAfter()),
                    Long.toString(rule.banWindow().toMillis()),
                    Long.toString(rule.banFor().toMillis()),
                    name)))
        .map(ClaimAttemptScript.BudgetReply::of);
  }
}
