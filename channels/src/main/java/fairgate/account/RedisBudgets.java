package fairgate.account;

import fairgate.platform.run.LocalBudgets;
import fairgate.platform.run.LocalBudgets.Budget;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// Rate limits in Redis, shared by all nodes. While Redis is unavailable, each node counts by
/// itself.
final class RedisBudgets implements Budgets {
  private static final long CALL_TIMEOUT_MS = 500;

  private final BudgetScript script;
  private final LocalBudgets local;

  RedisBudgets(BudgetScript script, LocalBudgets local) {
    this.script = script;
    this.local = local;
  }

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
}
