package fairgate.gate.risk;

/// Records decisions. Never blocks and never fails; decisions that do not fit into memory are
/// dropped and counted.
@FunctionalInterface
public interface DecisionLog {
  void record(RiskDecision decision);

  /// Makes a bundle known before the first decision that names it, so that its document is stored.
  /// Cheap for a bundle that is known.
  default void know(RiskBundle bundle) {}
}
