package fairgate.gate.risk;

import fairgate.gate.risk.RiskEngine.Assessment;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A decision as it is recorded.
///
/// @param id 22 characters, told to the buyer as `decision_id`
/// @param atMillis the time by the node's clock, Unix milliseconds
/// @param hashes who it is about; computed when the decision is written, because not all are
/// @param features as they were at the decision
/// @param assessment by the bundle in force for the subject
/// @param reason what the buyer is told; null when nothing is told
/// @param remedies what the buyer is told would help, the most effective first
/// @param shadows assessments by the shadow bundles
/// @param applied whether the action took effect; false in the mode `observe`
/// @param degraded whether a source of features was missing
/// @param latencyMicros from the request to the assessment
public record RiskDecision(
    String id,
    long atMillis,
    RiskRoute route,
    String sale,
    Supplier<Subjects.Hashes> hashes,
    Features features,
    Assessment assessment,
    @Nullable PublicReason reason,
    List<Remedy> remedies,
    List<Assessment> shadows,
    boolean applied,
    boolean degraded,
    long latencyMicros) {
  public RiskDecision {
    remedies = List.copyOf(remedies);
    shadows = List.copyOf(shadows);
  }
}
