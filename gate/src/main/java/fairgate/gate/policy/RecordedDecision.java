package fairgate.gate.policy;

import fairgate.gate.risk.Features;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A decision as it was recorded.
///
/// @param bundle SHA-256 of the bundle that decided
/// @param features null when this server does not know their schema, or they are damaged
/// @param reasons `code:points`, most points first
/// @param shadow codes of the shadow rules that matched
/// @param label by its outcomes; UNKNOWN when they were not read
public record RecordedDecision(
    String id,
    Instant at,
    String route,
    String sale,
    String bundle,
    @Nullable Features features,
    int score,
    String band,
    String action,
    List<String> reasons,
    List<String> shadow,
    OutcomeLabel label) {
  public RecordedDecision {
    reasons = List.copyOf(reasons);
    shadow = List.copyOf(shadow);
  }
}
