package fairgate.account;

import fairgate.platform.run.LocalBudgets.Budget;
import io.vertx.core.Future;
import java.time.Duration;

/// Rate limits for expensive operations such as password hashing.
@FunctionalInterface
public interface Budgets {
  Budgets UNLIMITED = (_, _) -> Future.succeededFuture(Duration.ZERO);

  /// Counts one call against `rl:{name of the budget}:{who}`. The future never fails: while Redis
  /// is unavailable, each node counts by itself.
  ///
  /// @param who the limited subject: an address, an account or a keyed hash
  /// @return zero if the call is granted, otherwise the time to wait; a refused call is not counted
  Future<Duration> spend(Budget budget, String who);

  /// The same for a call that may be given back.
  ///
  /// @param call a unique name of the call
  default Future<Duration> spend(Budget budget, String who, String call) {
    return spend(budget, who);
  }

  /// Takes a call back that was counted. A repeat does nothing. The future never fails.
  ///
  /// @param budget its name
  default Future<Void> giveBack(String budget, String who, String call) {
    return Future.succeededFuture();
  }
}
