package fairgate.gate.policy;

import fairgate.gate.risk.Feature;
import fairgate.gate.risk.FeatureSchema;
import fairgate.gate.risk.RiskAction;
import fairgate.gate.risk.RiskDecision;
import fairgate.gate.risk.RiskEngine.Assessment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts decisions of this node under a canary until they are added to those of all nodes. The
/// number of different counts is bounded by the number of actions.
final class DecisionCounts {
  static final String CANARY = "canary";
  static final String ACTIVE = "active";

  private final Map<Key, LongAdder> counts = new ConcurrentHashMap<>();

  private record Key(long run, String side, String fact) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byRun = Long.compare(run, other.run);
      int bySide = byRun != 0 ? byRun : side.compareTo(other.side);
      return bySide != 0 ? bySide : fact.compareTo(other.fact);
    }
  }

  /// Counts a decision for the canary of the moment, if there is one: by side, and as `pass>refuse`
  /// where the canary was only evaluated.
  void add(RiskDecision decision, PoliciesInForce inForce) {
    PoliciesInForce.Loaded canary = inForce.canary();
    if (canary == null) {
      return;
    }
    long run = inForce.pointer().canaryRun();
    String hash = canary.version().sha256();
    Assessment assessment = decision.assessment();
    boolean isCanary = assessment.bundleHash().equals(hash);
    long slowMicros = canary.version().guardrails().p99Micros();
    add(run, isCanary ? CANARY : ACTIVE, decision, slowMicros);
    for (Assessment other : decision.shadows()) {
      if (other.bundleHash().equals(hash)) {
        count(run, CANARY, assessment.action().word() + '>' + other.action().word());
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

  /// Takes the counts of the current run, sorted, so that nodes lock their rows in one order.
  /// Forgets those of other runs.
  List<PostgresPolicies.Count> take(PolicyPointer pointer) {
    List<PostgresPolicies.Count> taken = new ArrayList<>();
    for (Map.Entry<Key, LongAdder> entry : new TreeMap<>(counts).entrySet()) {
      Key key = entry.getKey();
      if (key.run() != pointer.canaryRun()) {
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

  /// Decisions of one side of a canary, added up over all nodes.
  ///
  /// @param challenged decisions with a challenge
  /// @param refused decisions that seat behind, hold or refuse
  /// @param paid decisions about people who have paid before
  /// @param paidRefused decisions of these that refuse
  /// @param slow evaluations that took longer than the guardrail allows for the 99th percentile
  /// @param appealsWon appeals against these decisions that were won
  record CanaryCounts(
      long decisions,
      long challenged,
      long refused,
      long paid,
      long paidRefused,
      long slow,
      long appealsWon,
      long appealsLost) {
    static final String DECISIONS = "decisions";
    static final String CHALLENGED = "challenged";
    static final String REFUSED = "refused";
    static final String PAID = "paid";
    static final String PAID_REFUSED = "paid_refused";
    static final String SLOW = "slow";

    static CanaryCounts of(Map<String, Long> facts, long appealsWon, long appealsLost) {
      return new CanaryCounts(
          facts.getOrDefault(DECISIONS, 0L),
          facts.getOrDefault(CHALLENGED, 0L),
          facts.getOrDefault(REFUSED, 0L),
          facts.getOrDefault(PAID, 0L),
          facts.getOrDefault(PAID_REFUSED, 0L),
          facts.getOrDefault(SLOW, 0L),
          appealsWon,
          appealsLost);
    }

    /// For people, as in the history of a version.
    @Override
    public String toString() {
      String counts =
          "decisions=%d challenged=%d refused=%d paid=%d paid_refused=%d slow=%d"
              .formatted(decisions, challenged, refused, paid, paidRefused, slow);
      return counts + " appeals_won=" + appealsWon + " appeals_lost=" + appealsLost;
    }
  }
}
