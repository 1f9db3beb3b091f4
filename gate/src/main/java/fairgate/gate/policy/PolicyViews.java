package fairgate.gate.policy;

import fairgate.platform.postgres.Db;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Reads versions of the risk policy as operators see them, within a transaction.
final class PolicyViews {
  private PolicyViews() {}

  /// Versions below one, newest first, without details.
  static List<PolicyView> list(Db db, long below, int limit) {
    PolicyPointer pointer = PostgresPolicies.pointer(db);
    List<PolicyVersion> page = PostgresPolicies.list(db, below, limit);
    Set<Long> used = new HashSet<>(PostgresPolicies.used(db, page));
    return page.stream().map(one -> summary(db, one, pointer, used)).toList();
  }

  /// A version with its backtest, counts and history.
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
      Db db, PolicyState state, PolicyPointer pointer) {
    return state == PolicyState.CANARY
        ? PostgresPolicies.counts(db, pointer.canaryRun())
        : Map.of();
  }

  private static PolicyView summary(
      Db db, PolicyVersion version, PolicyPointer pointer, Set<Long> used) {
    PolicyState state = pointer.stateOf(version.version(), used.contains(version.version()));
    boolean isCanary = state == PolicyState.CANARY;
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
}
