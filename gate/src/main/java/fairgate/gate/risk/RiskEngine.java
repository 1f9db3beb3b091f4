package fairgate.gate.risk;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Judges features by a bundle. Pure and deterministic: no clock, no chance, no state.
public final class RiskEngine {
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
    RiskBundle.Band demanded = RiskBundle.Band.LOW;
    int score = 0;
    for (CompiledBundle.CompiledRule compiledRule : compiled.rules()) {
      RiskBundle.Rule rule = compiledRule.rule();
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
    RiskBundle.Band band = higher(bundle.bandOf(score), demanded);
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

  private static RiskBundle.Band higher(RiskBundle.Band one, RiskBundle.@Nullable Band other) {
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

  /// The risk of one request under one bundle. Equal bundles and features give equal assessments,
  /// on every machine.
  ///
  /// @param score the sum of the points
  /// @param band the band of the score, or a higher one that a rule demands
  /// @param reasons every rule that matched and the model if it has points, most points first
  /// @param shadow codes of the shadow rules that matched, in the order of the bundle
  /// @param failedRules codes of the rules whose condition had no value; they did not match
  /// @param schema the version of the features
  /// @param bundleHash 64 hexadecimal digits
  public record Assessment(
      int score,
      RiskBundle.Band band,
      RiskAction action,
      List<Reason> reasons,
      List<String> shadow,
      List<String> failedRules,
      int schema,
      String bundleHash) {
    public Assessment {
      reasons = List.copyOf(reasons);
      shadow = List.copyOf(shadow);
      failedRules = List.copyOf(failedRules);
    }

    /// One contribution to the score.
    ///
    /// @param code the rule's code, or [RiskEngine#MODEL]
    public record Reason(String code, int points, PublicReason reason) {}
  }
}
