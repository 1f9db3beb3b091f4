package fairgate.operator;

import fairgate.gate.appeal.AppealService;
import fairgate.gate.appeal.RuleVersion;
import fairgate.gate.limit.LimitDefaults;
import fairgate.gate.policy.PolicyService;
import fairgate.gate.risk.RiskBundle;
import fairgate.gate.risk.RiskEngine;
import fairgate.gate.risk.RiskRule;
import fairgate.kernel.Decision;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.InvalidRequest;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/// Checks that a rule and its version exist, as appeals name them.
final class RuleVersions {
  private static final String CONCURRENT = RuleVersion.OF_LIMITS + "concurrent";

  /// Rules of risk in every bundle: the model, and a score without a strongest rule.
  private static final List<String> OF_EVERY_BUNDLE =
      List.of(RuleVersion.OF_RISK + RiskEngine.MODEL, RuleVersion.SCORE);

  private final AppealService appeals;
  private final PolicyService policies;

  RuleVersions(AppealService appeals, PolicyService policies) {
    this.appeals = appeals;
    this.policies = policies;
  }

  /// Throws InvalidRequest when there is no such rule, or not in this version. Blocks.
  ///
  /// The version of a limit may be any: its former values are not recorded, and decisions under
  /// them can still be appealed against.
  void check(String rule, String version) {
    if (appeals.knows(rule, version)) {
      return;
    }
    if (rule.equals(RuleVersion.LOST) || isCode(rule)) {
      checkVersion(rule, version, RuleVersion.UNVERSIONED, RuleVersion.UNVERSIONED);
    } else if (rule.startsWith(RuleVersion.OF_RISK)) {
      checkRisk(rule, version);
    } else if (rule.startsWith(RuleVersion.OF_LIMITS)) {
      checkLimit(rule, version);
    } else {
      throw new InvalidRequest("rule", "no_rule", rule, version);
    }
  }

  private void checkRisk(String rule, String version) {
    RiskBundle bundle =
        policies
            .bundle(version)
            .orElseThrow(() -> new InvalidRequest("version", "no_policy_hash", rule));
    oneOf(
        rule,
        Stream.concat(
            bundle.rules().stream().map(RiskRule::code).map(RuleVersion.OF_RISK::concat),
            OF_EVERY_BUNDLE.stream()));
  }

  private static void checkLimit(String rule, String version) {
    if (rule.equals(CONCURRENT)) {
      checkVersion(rule, version, "[0-9]{1,9}", "10");
      return;
    }
    Stream<String> names =
        LimitDefaults.ALL.stream().map(entry -> RuleVersion.OF_LIMITS + entry.name());
    oneOf(rule, Stream.concat(names, Stream.of(CONCURRENT)));
    checkVersion(rule, version, "[0-9]{1,9}/[0-9]{1,9}", "3/60");
  }

  private static boolean isCode(String rule) {
    return Arrays.stream(ErrorCode.values())
        .filter(Decision::isAppealable)
        .map(RuleVersion::ruleOf)
        .anyMatch(rule::equals);
  }

  private static void checkVersion(String rule, String version, String form, String example) {
    if (!version.matches(form)) {
      throw new InvalidRequest("version", "no_rule_version", rule, example);
    }
  }

  private static void oneOf(String rule, Stream<String> rules) {
    List<String> all = rules.toList();
    if (!all.contains(rule)) {
      throw new InvalidRequest("rule", "not_one_of", String.join(", ", all));
    }
  }
}
