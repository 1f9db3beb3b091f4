package fairgate.gate.policy;

import fairgate.gate.risk.Assessment;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.FeatureSchema;
import fairgate.gate.risk.RiskAction;
import fairgate.gate.risk.RiskDecision;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts decisions of this node under a canary and a shadow until they are added to those of all
/// nodes. The number of different counts is bounded by the number of actions.
final class DecisionCounts {
  static final String CANARY = "canary";
  static final String ACTIVE = "active";
  static final String SHADOW = "shadow";

  private final Map<Key, LongAdder> counts = new ConcurrentHashMap<>();

  private record Key(long run, String side, String fact) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byRun = Long.compare(run, other.run);
      int bySide = byRun != 0 ? byRun : side.compareTo(other.side);
      return bySide != 0 ? bySide : fact.compareTo(other.fact);
    }
  }

  /// Counts a decision for the canary and the shadow of the moment, if there are any.
  void add(RiskDecision decision, PoliciesInForce inForce) {
    PoliciesInForce.Loaded canary = inForce.canary();
    Assessment assessment = decision.assessment();
    if (canary != null) {
      boolean isCanary = assessment.bundleHash().equals(canary.version().sha256());
      add(
          inForce.pointer().canaryRun(),
          isCanary ? CANARY : ACTIVE,
          decision,
          canary.version().guardrails().p99Micros());
    }
    PoliciesInForce.Loaded shadow = inForce.loaded().get(inForce.pointer().shadow());
    for (Assessment other : decision.shadows()) {
      if (shadow != null && other.bundleHash().equals(shadow.version().sha256())) {
        count(
            inForce.pointer().shadowRun(),
            SHADOW,
            assessment.action().word() + '>' + other.action().word());
      }
    }
  }

  private void add(long run, String side, RiskDecision decision, long slowMicros) {
    RiskAction action = decision.assessment().action();
    count(run, side, CanaryCounts.DECISIONS);
    switch (action) {
      case PASS, SILENT_CHECK -> {}
      case CHALLENGE, SLIDER, CODE, PASSKEY -> count(run, side, CanaryCounts.CHALLENGED);
      case SEAT_BEHIND, HOLD, REFUSE -> count(run, side, CanaryCounts.REFUSED);
    }
    if (hasPaid(decision)) {
      count(run, side, CanaryCounts.PAID);
      if (action == RiskAction.REFUSE || action == RiskAction.HOLD) {
        count(run, side, CanaryCounts.PAID_REFUSED);
      }
    }
    if (decision.latencyMicros() > slowMicros) {
      count(run, side, CanaryCounts.SLOW);
    }
  }

  private static boolean hasPaid(RiskDecision decision) {
    FeatureSchema schema = decision.features().schema();
    Feature paid = schema.feature("paid_orders");
    return decision.features().number(paid) > 0;
  }

  private void count(long run, String side, String fact) {
    counts.computeIfAbsent(new Key(run, side, fact), _ -> new LongAdder()).increment();
  }

  /// Takes the counts of the current runs, sorted, so that nodes lock their rows in one order.
  /// Forgets those of other runs.
  List<PostgresPolicies.Count> take(PolicyPointer pointer) {
    List<PostgresPolicies.Count> taken = new ArrayList<>();
    for (Map.Entry<Key, LongAdder> entry : new TreeMap<>(counts).entrySet()) {
      Key key = entry.getKey();
      boolean isCurrent = key.run() == pointer.canaryRun() || key.run() == pointer.shadowRun();
      if (!isCurrent) {
        counts.remove(key);
        continue;
      }
      long n = entry.getValue().sumThenReset();
      if (n > 0) {
        taken.add(new PostgresPolicies.Count(key.run(), key.side(), key.fact(), n));
      }
    }
    return taken;
  }
}
