package fairgate.gate.policy;

import fairgate.kernel.Word;
import fairgate.platform.postgres.Db;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
    State state,
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

  /// Versions below one, newest first, without details; within a transaction.
  static List<PolicyView> list(Db db, long below, int limit) {
    PolicyPointer pointer = PostgresPolicies.pointer(db);
    List<PolicyVersion> page = PostgresPolicies.list(db, below, limit);
    Set<Long> used = new HashSet<>(PostgresPolicies.used(db, page));
    return page.stream().map(one -> summary(db, one, pointer, used)).toList();
  }

  /// A version with its backtest, counts and history; within a transaction.
  static Optional<PolicyView> of(Db db, PolicyPointer pointer, long version) {
    return PostgresPolicies.find(db, version)
        .map(
            found -> {
              Set<Long> used = new HashSet<>(PostgresPolicies.used(db, List.of(found)));
              PolicyView summary = summary(db, found, pointer, used);
              return new PolicyView(
                  found,
                  summary.state(),
                  summary.percent(),
                  summary.goalPercent(),
                  summary.backtest(),
                  summary.judged(),
                  PostgresPolicies.backtest(db, version)
                      .map(PostgresPolicies.StoredBacktest::report)
                      .orElse(""),
                  countsOf(db, summary.state(), pointer),
                  PostgresPolicies.steps(db, version));
            });
  }

  private static Map<String, Map<String, Long>> countsOf(
      Db db, PolicyView.State state, PolicyPointer pointer) {
    return state == PolicyView.State.CANARY
        ? PostgresPolicies.counts(db, pointer.canaryRun())
        : Map.of();
  }

  private static PolicyView summary(
      Db db, PolicyVersion version, PolicyPointer pointer, Set<Long> used) {
    PolicyView.State state = pointer.stateOf(version.version(), used.contains(version.version()));
    boolean isCanary = state == PolicyView.State.CANARY;
    Optional<PostgresPolicies.StoredBacktest> backtest =
        PostgresPolicies.backtest(db, version.version());
    return new PolicyView(
        version,
        state,
        isCanary ? pointer.canaryShare() / 100.0 : 0,
        isCanary ? pointer.canaryGoal() / 100.0 : 0,
        backtest.map(PostgresPolicies.StoredBacktest::hash).orElse(""),
        backtest.map(PostgresPolicies.StoredBacktest::judged).orElse(0L),
        "",
        Map.of(),
        List.of());
  }

  public enum State implements Word {
    /// Published, never used.
    DRAFT,
    /// In force for a share of the people, or only evaluated beside the active version.
    CANARY,
    ACTIVE,
    /// Used before. It can be used again.
    RETIRED
  }
}
