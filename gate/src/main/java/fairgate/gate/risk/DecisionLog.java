package fairgate.gate.risk;

/// Records decisions. Never blocks and never fails; decisions that do not fit into memory are
/// dropped and counted.
@FunctionalInterface
public interface DecisionLog {
  void record(RiskDecision decision);
}
