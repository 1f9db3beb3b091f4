package fairgate.gate.risk;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Refusal;
import fairgate.platform.text.Language;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The treatment of a request, and the reasons that its sender reads.
///
/// @param decision the id of the recorded decision; null when risk is off
/// @param action the action that takes effect; [RiskAction#SILENT_CHECK] when none does
/// @param reason the main reason; null when there is none
/// @param remedies what would make the action milder; see [Remedies]
public record RiskVerdict(
    @Nullable String decision,
    RiskAction action,
    @Nullable PublicReason reason,
    List<Remedy> remedies) {
  /// The verdict when risk is off.
  static final RiskVerdict NONE = new RiskVerdict(null, RiskAction.SILENT_CHECK, null, List.of());

  public RiskVerdict {
    remedies = List.copyOf(remedies);
  }

  /// The members that an affected reply has in addition: `decision_id`, `reason` and `help` as
  /// words, both as text in the reader's language, and `appeal_url`.
  public Map<String, Object> members(Language language) {
    Map<String, Object> members = new LinkedHashMap<>();
    if (decision == null) {
      return members;
    }
    members.put("decision_id", decision);
    PublicReason main = reason == null ? PublicReason.COMBINATION : reason;
    Explanation explanation = new Explanation(main, remedies);
    members.put("reason", main.word());
    members.put("reason_text", explanation.reasonText(language));
    members.put("help", remedies.stream().map(Remedy::word).toList());
    members.put("help_text", explanation.helpTexts(language));
    members.put("appeal_url", "/appeal/" + decision);
    return members;
  }

  /// A refusal with the members that explain it.
  public Refusal refusal(ErrorCode code, Language language) {
    Refusal refusal = Refusal.of(code);
    for (Map.Entry<String, Object> member : members(language).entrySet()) {
      refusal = refusal.with(member.getKey(), member.getValue());
    }
    return refusal;
  }
}
