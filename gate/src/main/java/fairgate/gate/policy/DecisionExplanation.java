package fairgate.gate.policy;

import fairgate.gate.policy.RecordedDecisions.RecordedDecision;
import fairgate.gate.risk.CompiledBundle;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskAction;
import fairgate.gate.risk.RiskBundle;
import fairgate.gate.risk.RiskEngine;
import fairgate.gate.risk.RiskEngine.Assessment;
import fairgate.platform.text.Language;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Explains a replayed decision to an operator, in lines of text.
public final class DecisionExplanation {
  private DecisionExplanation() {}

  /// The decision, its features, its reasons with the points and conditions of their rules, and
  /// what would have happened without each reason.
  public static List<String> lines(DecisionReplay.Replayed replayed) {
    RecordedDecision recorded = replayed.recorded();
    List<String> lines = new ArrayList<>();
    lines.add(
        "decision %s at %s: %s of sale %s"
            .formatted(recorded.id(), recorded.at(), recorded.route(), recorded.sale()));
    lines.add(
        "recorded: score %d, band %s, action %s, reasons %s, outcome %s"
            .formatted(
                recorded.score(),
                recorded.band(),
                recorded.action(),
                recorded.reasons(),
                recorded.label().word()));
    Assessment again = replayed.again();
    CompiledBundle bundle = replayed.bundle();
    Features features = recorded.features();
    if (again == null || bundle == null || features == null) {
      lines.add("not replayed: this build cannot read its bundle or its features");
      return lines;
    }
    lines.add(
        replayed.isIdentical()
            ? "replayed: identical"
            : "replayed: DIFFERENT: score %d, band %s, action %s, reasons %s"
                .formatted(
                    again.score(),
                    again.band().word(),
                    again.action().word(),
                    DecisionReplay.reasonsOf(again)));
    lines.add("bundle: %s, %s".formatted(bundle.bundle().name(), bundle.hash()));
    lines.add("features that are not defaults:");
    for (Feature feature : features.schema().features()) {
      if (!isDefault(features, feature)) {
        lines.add("  %s = %s".formatted(feature.name(), features.value(feature)));
      }
    }
    lines.add("reasons:");
    again.reasons().forEach(reason -> lines.addAll(reason(bundle.bundle(), again, reason)));
    if (!again.failedRules().isEmpty()) {
      lines.add("rules without a value: " + String.join(", ", again.failedRules()));
    }
    return lines;
  }

  private static boolean isDefault(Features features, Feature feature) {
    return switch (features.value(feature)) {
      case Long number -> number == 0;
      case Boolean flag -> !flag;
      case Double real -> real == 0;
      case String text -> text.isEmpty();
      case Object other -> throw new IllegalStateException(other.toString());
    };
  }

  private static List<String> reason(
      RiskBundle bundle, Assessment assessment, Assessment.Reason reason) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "  %+d %s (told as %s)".formatted(reason.points(), reason.code(), reason.reason().word()));
    Optional<RiskBundle.Rule> rule =
        bundle.rules().stream().filter(one -> one.code().equals(reason.code())).findFirst();
    rule.ifPresent(
        found -> {
          lines.add("      " + found.texts().getOrDefault(Language.EN, ""));
          lines.add("      when " + found.when());
        });
    RiskAction without = without(bundle, assessment, reason);
    if (without != assessment.action()) {
      lines.add("      without it: " + without.word());
    }
    return lines;
  }

  private static RiskAction without(
      RiskBundle bundle, Assessment assessment, Assessment.Reason absent) {
    RiskBundle.Band band = bundle.bandOf(assessment.score() - absent.points());
    for (Assessment.Reason other : assessment.reasons()) {
      if (other.code().equals(absent.code()) || other.code().equals(RiskEngine.MODEL)) {
        continue;
      }
      for (RiskBundle.Rule rule : bundle.rules()) {
        RiskBundle.Band demanded = rule.band();
        if (rule.code().equals(other.code()) && demanded != null && demanded.compareTo(band) > 0) {
          band = demanded;
        }
      }
    }
    return bundle.actionOf(band);
  }
}
