package fairgate.gate.risk;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The metrics of risk on this node.
final class RiskMeters {
  private final Map<RiskRoute, Map<RiskAction, Counter>> decisions = new EnumMap<>(RiskRoute.class);
  private final Counter degraded;
  private final Counter failedRules;
  private final Timer time;

  RiskMeters(Metrics metrics) {
    for (RiskRoute route : RiskRoute.values()) {
      Map<RiskAction, Counter> ofRoute = new EnumMap<>(RiskAction.class);
      for (RiskAction action : RiskAction.values()) {
        ofRoute.put(
            action,
            metrics.counter(
                "fairgate_risk_decisions_total",
                "Decisions by the action of their band, whether or not it took effect",
                "route",
                route.word(),
                "action",
                action.word()));
      }
      decisions.put(route, ofRoute);
    }
    degraded =
        metrics.counter(
            "fairgate_risk_degraded_total",
            "Decisions made without a source of features that failed or was late");
    failedRules =
        metrics.counter(
            "fairgate_risk_rule_failures_total",
            "Conditions of rules that had no value, such as after a division by zero");
    time = metrics.timer("fairgate_risk_seconds", "Time from a request to its risk");
  }

  void decided(RiskDecision decision) {
    Map<RiskAction, Counter> ofRoute = decisions.get(decision.route());
    Counter counter = ofRoute == null ? null : ofRoute.get(decision.assessment().action());
    if (counter != null) {
      counter.increment();
    }
    if (decision.degraded()) {
      degraded.increment();
    }
    failedRules.increment(decision.assessment().failedRules().size());
    time.record(decision.latencyMicros(), TimeUnit.MICROSECONDS);
  }
}
