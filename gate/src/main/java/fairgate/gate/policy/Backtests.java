package fairgate.gate.policy;

import fairgate.gate.risk.Assessment;
import fairgate.gate.risk.CompiledBundle;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskEngine;
import fairgate.gate.risk.RuleEngine;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Runs a version on recorded decisions and reports what it would have changed. Nothing is decided
/// or recorded again. Blocks, and takes some seconds for 100,000 decisions.
final class Backtests {
  private final RecordedDecisions decisions;
  private final RuleEngine rules;

  Backtests(RecordedDecisions decisions, RuleEngine rules) {
    this.decisions = decisions;
    this.rules = rules;
  }

  BacktestReport run(PolicyVersion version, DecisionRange range) {
    if (!(CompiledBundle.recompile(version.bundle(), rules)
        instanceof CompiledBundle.Outcome.Accepted(CompiledBundle bundle))) {
      throw new IllegalStateException("a published bundle does not compile: " + version.version());
    }
    BacktestReport report = new BacktestReport(bundle.hash(), range);
    decisions.forEachPage(
        range,
        true,
        page -> {
          List<Judged> judged = DecisionReplay.inParallel(page, one -> judge(bundle, one));
          judged.forEach(one -> report.add(one.recorded(), one.again()));
        });
    return report;
  }

  /// @param again null when the features cannot be read by this build
  private record Judged(RecordedDecision recorded, @Nullable Assessment again) {}

  private static Judged judge(CompiledBundle bundle, RecordedDecision recorded) {
    Features features = recorded.features();
    return new Judged(recorded, features != null ? RiskEngine.assess(bundle, features) : null);
  }
}
