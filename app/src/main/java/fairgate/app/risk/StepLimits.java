package fairgate.app.risk;

import fairgate.account.Budgets;
import fairgate.platform.http.Request;
import fairgate.platform.run.LocalBudgets.Budget;
import io.vertx.core.Future;
import java.time.Duration;

/// Limits how often a browser, and all browsers of an address, may try a slider before a join.
/// Guesses at a slider are right once in twenty times.
public record StepLimits(Budgets budgets) {
  private static final Budget BROWSER = new Budget("step_try", 10, Duration.ofMinutes(10));
  private static final Budget ADDRESS = new Budget("step_ip", 100, Duration.ofMinutes(10));

  /// Counts one attempt. Zero if it is granted, otherwise the time to wait.
  public Future<Duration> spend(Request request) {
    return budgets
        .spend(BROWSER, request.device().id().value())
        .compose(
            wait ->
                wait.isZero()
                    ? budgets.spend(ADDRESS, request.address().key())
                    : Future.succeededFuture(wait));
  }
}
