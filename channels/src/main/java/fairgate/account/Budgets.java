package fairgate.account;

import fairgate.platform.run.LocalBudgets.Budget;
import io.vertx.core.Future;
import java.time.Duration;

/// Rate limits for expensive operations such as password hashing.
@FunctionalInterface
public interface Budgets {
  /// No limits.
  Budgets UNLIMITED = (_, _) -> Future.succeededFuture(Duration.ZERO);

  /// Counts one call against `rl:{name of the budget}:{who}`. The future never fails: while Redis
  /// is unavailable, each node counts by itself.
  ///
  /// @param who the limited subject: an address, an account or a keyed hash
  /// @return zero if the call is granted, otherwise the time to wait; a refused call is not counted
  Future<Duration> spend(Budget budget, String who);
}
