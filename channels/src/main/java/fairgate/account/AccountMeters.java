package fairgate.account;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.AsyncResult;

/// The metrics of accounts.
final class AccountMeters {
  private final Counter granted;
  private final Counter refused;
  private final Counter delayed;
  private final Counter busy;

  AccountMeters(Metrics metrics, Bulkhead bulkhead, PasswordHasher hasher) {
    this.granted = logins(metrics, "granted");
    this.refused = logins(metrics, "refused");
    this.delayed = logins(metrics, "delayed");
    this.busy = logins(metrics, "busy");
    metrics.gauge(
        "fairgate_login_places", "Logins and registrations under way on this node", bulkhead::used);
    metrics.gauge(
        "fairgate_password_hashes", "Password hashes computed by this node", hasher::runs);
  }

  private static Counter logins(Metrics metrics, String outcome) {
    return metrics.counter("fairgate.logins", "Tries to sign in", "outcome", outcome);
  }

  void login(AsyncResult<AccountService.LoginOutcome> result) {
    if (result.failed()) {
      if (result.cause() instanceof ServiceUnavailable) {
        busy.increment();
      }
      return;
    }
    switch (result.result()) {
      case AccountService.LoginOutcome.Granted _ -> granted.increment();
      case AccountService.LoginOutcome.Refused _ -> refused.increment();
      case AccountService.LoginOutcome.TooMany _ -> delayed.increment();
    }
  }
}
