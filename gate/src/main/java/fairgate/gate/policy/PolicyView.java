package fairgate.gate.policy;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/// A version of the risk policy as operators see it.
///
/// @param percent people who get it now, in percent; 0 unless it is the canary
/// @param goalPercent the percentage when the ramp is complete
/// @param backtest hash of its latest backtest; empty without one
/// @param judged how many decisions the latest backtest has judged; 0 without one
/// @param report JSON of the latest backtest; empty without one, and in lists
/// @param counts decisions as canary so far, by side and fact; empty in lists
/// @param steps its history, newest first; empty in lists
public record PolicyView(
    PolicyVersion version,
    PolicyState state,
    double percent,
    double goalPercent,
    String backtest,
    long judged,
    String report,
    Map<String, Map<String, Long>> counts,
    List<Step> steps) {
  public PolicyView {
    counts = Map.copyOf(counts);
    steps = List.copyOf(steps);
  }

  /// An entry of the history.
  ///
  /// @param step created, backtested, canary, ramped, halted, activated, rolled_back
  public record Step(String step, String actor, String detail, Instant at) {}
}
