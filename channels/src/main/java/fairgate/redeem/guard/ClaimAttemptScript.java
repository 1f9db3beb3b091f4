package fairgate.redeem.guard;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// `claim_attempt.lua`: one attempt out of one subject's budget, many per run.
final class ClaimAttemptScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(ClaimAttemptScript.class, "claim_attempt.lua");
  private static final int MAX_BATCH_SIZE = 128;
  private static final ScriptBatcher.Shared SHARED =
      new ScriptBatcher.Shared("claims", List.of(), List.of());

  private final ScriptBatcher batcher;

  ClaimAttemptScript(RedisClient redis) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
  }

  /// The limits of one subject.
  ///
  /// @param attempts allowed within `window`; 0 = unlimited
  /// @param misses limits of misses
  record Rule(int attempts, Duration window, ClaimMissScript.Rule misses) {}

  /// The script's reply.
  ///
  /// @param word the first word of the reply
  /// @param retryAfter the remaining time of the refusal
  record BudgetReply(String word, Duration retryAfter) {
    static BudgetReply of(String reply) {
      int space = reply.indexOf(' ');
      return space < 0
          ? new BudgetReply(reply, Duration.ZERO)
          : new BudgetReply(
              reply.substring(0, space),
              Duration.ofMillis(Long.parseLong(reply.substring(space + 1))));
    }
  }

  /// @param name unique name of this attempt
  /// @param missed member for a refusal that counts as a miss; a repeat with the same member counts
  ///   once
  /// @param excused whether the subject's misses and ban are ignored this time
  Future<BudgetReply> run(ClaimKeys keys, Rule rule, String name, String missed, boolean excused) {
    return batcher
        .call(
            SHARED,
            new ScriptBatcher.Item(
                List.of(keys.attempts(), keys.misses(), keys.ban()),
                List.of(
                    Integer.toString(rule.attempts()),
                    Long.toString(rule.window().toMillis()),
                    Integer.toString(rule.misses().allowed()),
                    Long.toString(rule.misses().window().toMillis()),
                    Integer.toString(rule.misses().banAfter()),
                    Long.toString(rule.misses().banWindow().toMillis()),
                    Long.toString(rule.misses().banFor().toMillis()),
                    name,
                    missed,
                    excused ? "1" : "0")))
        .map(BudgetReply::of);
  }
}
