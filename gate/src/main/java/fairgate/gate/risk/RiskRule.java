package fairgate.gate.risk;

import fairgate.platform.text.Language;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One rule of a bundle.
///
/// @param code the name in the decision log; 3 to 64 lower-case letters, digits and `_`
/// @param when a condition in CEL over the features
/// @param points added to the score when the condition is true; -100 to 100
/// @param band the band of the decision whatever the score, when the condition is true; null for
///   none. The highest of all matching rules counts, but never lowers the band of the score
/// @param shadow whether the rule is only recorded, without effect
/// @param reason what a buyer is told
/// @param texts the rule in words in every language, for the page of the sale and for operators
/// @param remedies what may help against it, the cheapest first; see [Remedies]
public record RiskRule(
    String code,
    String when,
    int points,
    @Nullable RiskBand band,
    boolean shadow,
    PublicReason reason,
    Map<Language, String> texts,
    List<Remedy> remedies) {
  public RiskRule {
    texts = Map.copyOf(texts);
    remedies = List.copyOf(remedies);
  }

  /// Whether the rule can change a decision: it gives points or a band above the lowest one.
  boolean counts() {
    return !shadow && (points != 0 || (band != null && band != RiskBand.LOW));
  }
}
