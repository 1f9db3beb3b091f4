package fairgate.gate.risk;

import java.util.List;

/// The risk of one request under one bundle. Equal bundles and features give equal assessments, on
/// every machine.
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
    RiskBand band,
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
