package fairgate.gate.policy;

import fairgate.gate.risk.RiskBundle;
import fairgate.kernel.Word;
import java.util.List;

/// The outcome of a step with a version of the risk policy.
public sealed interface RolloutOutcome {
  /// A new version was added. It is not in use.
  record Published(PolicyView view) implements RolloutOutcome {}

  /// The step was made; in force on this node, and on all nodes within a second.
  record Done(PolicyView view) implements RolloutOutcome {}

  /// A version with exactly this content exists; nothing was added.
  record Exists(PolicyView view) implements RolloutOutcome {}

  /// The document has errors; nothing was published.
  ///
  /// @param problems at least one, in the order of the document
  record Invalid(List<RiskBundle.Problem> problems) implements RolloutOutcome {
    public Invalid {
      problems = List.copyOf(problems);
    }
  }

  record Unknown() implements RolloutOutcome {}

  /// The latest backtest of the version judged no decision, or there is none, and the operator did
  /// not confirm to go without one.
  record BacktestMissing() implements RolloutOutcome {}

  record Conflict(Reason reason) implements RolloutOutcome {}

  enum Reason implements Word {
    IS_ACTIVE,
    /// Another version is active than the operator saw.
    OTHER_ACTIVE,
    /// Another version is the canary.
    OTHER_CANARY,
    /// There is no version to go back to.
    NO_PREVIOUS,
    TOO_MANY
  }
}
