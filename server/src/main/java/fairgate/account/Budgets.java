package fairgate.account;

import io.vertx.core.Future;
import java.time.Duration;

/// Who may do something dear, and how often.
@FunctionalInterface
public interface Budgets {
  /// Nobody is limited.
  Budgets UNLIMITED = (_, _) -> Future.succeededFuture(Duration.ZERO);

  /// Counts one call. The future never fails: without Redis each node counts for itself.
  ///
  /// @param who whose budget it is: an address, an account, a keyed hash
  /// @return nothing to wait for, or how long to wait; then nothing was used up
  Future<Duration> spend(Budget budget, String who);

  /// At most so many calls in any window.
  ///
  /// @param name part of the key: `rl:{name}:{who}`
  record Budget(String name, int most, Duration window) {}
}
