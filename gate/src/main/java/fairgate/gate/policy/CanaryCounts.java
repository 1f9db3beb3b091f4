package fairgate.gate.policy;

import java.util.Map;

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
