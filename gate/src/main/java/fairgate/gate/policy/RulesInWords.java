package fairgate.gate.policy;

import fairgate.gate.risk.RiskAction;
import fairgate.gate.risk.RiskBundle;
import fairgate.platform.text.Language;
import java.util.List;

/// The rules of a bundle for buyers, in one language. Rules that are only recorded are left out,
/// and so are points, which would tell attackers how far they can go.
///
/// @param raising what raises the risk, in the order of the bundle
/// @param lowering what lowers it
/// @param actions what happens, from the lowest risk to the highest, without repeats
public record RulesInWords(List<String> raising, List<String> lowering, List<RiskAction> actions) {
  public static final RulesInWords NONE = new RulesInWords(List.of(), List.of(), List.of());

  public RulesInWords {
    raising = List.copyOf(raising);
    lowering = List.copyOf(lowering);
    actions = List.copyOf(actions);
  }

  static RulesInWords of(RiskBundle bundle, Language language) {
    return new RulesInWords(
        texts(bundle, language, true),
        texts(bundle, language, false),
        bundle.bands().values().stream().map(RiskBundle.BandRule::action).distinct().toList());
  }

  private static List<String> texts(RiskBundle bundle, Language language, boolean raising) {
    return bundle.rules().stream()
        .filter(rule -> !rule.shadow() && isRaising(rule) == raising)
        .map(rule -> rule.texts().getOrDefault(language, ""))
        .filter(text -> !text.isEmpty())
        .distinct()
        .toList();
  }

  private static boolean isRaising(RiskBundle.Rule rule) {
    return rule.points() > 0 || rule.band() != null;
  }
}
