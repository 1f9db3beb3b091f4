package fairgate.gate.risk;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A decision as it is recorded.
///
/// @param id 22 characters, told to the buyer as `decision_id`
/// @param atMillis the time by the node's clock, Unix milliseconds
/// @param subject keyed hash of the person or device
/// @param device keyed hash of the device within the sale; null without a device
/// @param network keyed hash of the client's address
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
    String subject,
    @Nullable String device,
    String network,
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
