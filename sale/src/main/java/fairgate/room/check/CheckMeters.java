package fairgate.room.check;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;

/// Counts the answers of `/gate/check` by outcome.
final class CheckMeters {
  private final Counter admitted;
  private final Counter open;
  private final Counter waiting;
  private final Counter standby;
  private final Counter refused;

  CheckMeters(Metrics metrics) {
    admitted = counter(metrics, "admitted");
    open = counter(metrics, "open");
    waiting = counter(metrics, "waiting");
    standby = counter(metrics, "standby");
    refused = counter(metrics, "refused");
  }

  private static Counter counter(Metrics metrics, String outcome) {
    return metrics.counter(
        "fairgate_gate_checks_total", "Answers to proxies by outcome", "outcome", outcome);
  }

  void count(CheckOutcome outcome) {
    switch (outcome) {
      case CheckOutcome.Admitted _ -> admitted.increment();
      case CheckOutcome.Unprotected _ -> open.increment();
      case CheckOutcome.Waiting _ -> waiting.increment();
      case CheckOutcome.WalkIn _ -> standby.increment();
      case CheckOutcome.Refused _ -> refused.increment();
    }
  }
}
