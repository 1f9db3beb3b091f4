package fairgate.gate.risk;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Judges features by a bundle. Pure and deterministic: no clock, no chance, no state.
public final class RiskEngine {
  /// The code of the model's reason.
  public static final String MODEL = "model";

  private static final Comparator<Assessment.Reason> MOST_FIRST =
      Comparator.comparingInt(Assessment.Reason::points).reversed();

  private RiskEngine() {}

  /// Assesses features of the bundle's schema or a later one. Throws IllegalArgumentException for
  /// an earlier schema.
  public static Assessment assess(CompiledBundle compiled, Features features) {
    if (features.schema().version() < compiled.schema().version()) {
      throw new IllegalArgumentException("features of schema " + features.schema().version());
    }
    RiskBundle bundle = compiled.bundle();
    List<Assessment.Reason> reasons = new ArrayList<>();
    List<String> shadow = new ArrayList<>();
    List<String> failed = new ArrayList<>();
    RiskBand demanded = RiskBand.LOW;
    int score = 0;
    for (CompiledBundle.CompiledRule compiledRule : compiled.rules()) {
      RiskRule rule = compiledRule.rule();
      if (!matches(compiledRule, features, failed)) {
        continue;
      }
      if (rule.shadow()) {
        shadow.add(rule.code());
        continue;
      }
      score += rule.points();
      reasons.add(new Assessment.Reason(rule.code(), rule.points(), rule.reason()));
      demanded = higher(demanded, rule.band());
    }
    score += modelPoints(bundle.model(), features, reasons);
    reasons.sort(MOST_FIRST);
    RiskBand band = higher(bundle.bandOf(score), demanded);
    return new Assessment(
        score,
        band,
        bundle.actionOf(band),
        reasons,
        shadow,
        failed,
        compiled.schema().version(),
        compiled.hash());
  }

  private static RiskBand higher(RiskBand one, @Nullable RiskBand other) {
    return other != null && other.compareTo(one) > 0 ? other : one;
  }

  private static int modelPoints(
      @Nullable TreeModel model, Features features, List<Assessment.Reason> reasons) {
    int points = model == null ? 0 : model.points(features);
    if (points != 0) {
      reasons.add(
          new Assessment.Reason(
              MODEL, points, points > 0 ? PublicReason.COMBINATION : PublicReason.TRUST));
    }
    return points;
  }

  private static boolean matches(
      CompiledBundle.CompiledRule rule, Features features, List<String> failed) {
    try {
      return rule.condition().matches(features);
    } catch (RuleEngine.EvaluationFailed _) {
      failed.add(rule.rule().code());
      return false;
    }
  }
}
