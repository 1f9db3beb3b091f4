package fairgate.account;

import fairgate.kernel.Ids;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.run.LocalBudgets;
import fairgate.platform.run.LocalBudgets.Budget;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Rate limits in Redis, shared by all nodes. While Redis is unavailable, each node counts by
/// itself.
record RedisBudgets(BudgetScript script, LocalBudgets local) implements Budgets {
  private static final long CALL_TIMEOUT_MS = 500;

  @Override
  public Future<Duration> spend(Budget budget, String who) {
    return orLocally(script.run(budget, who), budget, who);
  }

  @Override
  public Future<Duration> spend(Budget budget, String who, String call) {
    return orLocally(script.run(budget, who, call), budget, who);
  }

  @Override
  public Future<Void> giveBack(String budget, String who, String call) {
    return script
        .giveBack(budget, who, call)
        .timeout(CALL_TIMEOUT_MS, TimeUnit.MILLISECONDS)
        .recover(
            _ -> {
              local.giveBack(budget, who);
              return Future.succeededFuture();
            });
  }

  private Future<Duration> orLocally(Future<Duration> shared, Budget budget, String who) {
    return shared
        .timeout(CALL_TIMEOUT_MS, TimeUnit.MILLISECONDS)
        .otherwise(_ -> local.spend(budget, who));
  }

  /// `budget.lua`: one call counted against its budget.
  record BudgetScript(RedisClient redis, Ids ids) {
    private static final LuaScript SCRIPT = LuaScript.load(BudgetScript.class, "budget.lua");

    /// How long to wait; zero when the call is granted.
    Future<Duration> run(Budget budget, String who) {
      return run(budget, who, ids.nonce());
    }

    /// The same for a call with a name, by which it can be given back.
    Future<Duration> run(Budget budget, String who, String call) {
      return redis
          .run(
              SCRIPT,
              List.of(AccountKeys.budget(budget.name(), who)),
              List.of(
                  Integer.toString(budget.max()), Long.toString(budget.window().toMillis()), call))
          .map(RedisReply::number)
          .map(Duration::ofMillis);
    }

    /// Takes back a call that was granted.
    Future<Void> giveBack(String budget, String who, String call) {
      return redis.send("ZREM", AccountKeys.budget(budget, who), call).mapEmpty();
    }
  }
}
