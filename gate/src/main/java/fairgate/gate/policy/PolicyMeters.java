package fairgate.gate.policy;

import fairgate.platform.observe.Metrics;

/// The metrics of policies.
final class PolicyMeters {
  private static final String HALTS = "fairgate_policy_canary_halts_total";
  private static final String[] GUARDRAILS = {
    "paid_refused", "refusals", "challenges", "appeals_won", "p99"
  };

  private final Metrics metrics;

  PolicyMeters(Metrics metrics, PolicySync sync) {
    this.metrics = metrics;
    metrics.gauge(
        "fairgate_policy_version",
        "Version of the risk policy in use on this node; 0 = none",
        () -> sync.inForce().pointer().active(),
        "role",
        "active");
    metrics.gauge(
        "fairgate_policy_version",
        "Version of the risk policy in use on this node; 0 = none",
        () -> sync.inForce().pointer().canary(),
        "role",
        "canary");
    metrics.gauge(
        "fairgate_policy_canary_ratio",
        "Share of the people who get the canary",
        () -> (double) sync.inForce().pointer().canaryShare() / PoliciesInForce.PARTS);
    for (String guardrail : GUARDRAILS) {
      var _ = halts(guardrail);
    }
  }

  void halted(String guardrail) {
    halts(guardrail).increment();
  }

  private io.micrometer.core.instrument.Counter halts(String guardrail) {
    return metrics.counter(
        HALTS, "Canaries of the risk policy that a guardrail stopped", "guardrail", guardrail);
  }
}
