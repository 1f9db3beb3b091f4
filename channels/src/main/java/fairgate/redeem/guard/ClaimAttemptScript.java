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

  /// What one subject may do.
  ///
  /// @param attempts allowed within `window`; 0 = any
  /// @param misses what its misses lead to
  record Rule(int attempts, Duration window, ClaimMissScript.Rule misses) {}

  /// What the script said.
  ///
  /// @param word the first of the reply
  /// @param rest for how long it holds
  record BudgetReply(String word, Duration rest) {
    static BudgetReply of(String reply) {
      int space = reply.indexOf(' ');
      return space < 0
          ? new BudgetReply(reply, Duration.ZERO)
          : new BudgetReply(
              reply.substring(0, space),
              Duration.ofMillis(Long.parseLong(reply.substring(space + 1))));
    }
  }

  /// @param name of this attempt, which nobody else uses
  /// @param missed what a refusal for earlier misses is noted under; once, however often it is
  ///   tried
  /// @param excused whether the subject's misses and ban do not count this time
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
