package fairgate.account;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// Budgets all nodes share, in Redis; while it is away each node keeps the limit for itself.
final class RedisBudgets implements Budgets {
  private static final long PATIENCE_MS = 500;

  private final BudgetScript script;
  private final LocalBudgets local;

  RedisBudgets(BudgetScript script, LocalBudgets local) {
    this.script = script;
    this.local = local;
  }

  @Override
  public Future<Duration> spend(Budget budget, String who) {
    return script
        .run(budget, who)
        .timeout(PATIENCE_MS, TimeUnit.MILLISECONDS)
        .otherwise(_ -> local.spend(budget, who));
  }
}
