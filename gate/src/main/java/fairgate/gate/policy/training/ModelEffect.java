package fairgate.gate.policy.training;

import fairgate.gate.policy.OutcomeLabel;
import fairgate.gate.policy.RecordedDecision;
import fairgate.gate.risk.Assessment;
import fairgate.gate.risk.CompiledBundle;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskAction;
import fairgate.gate.risk.RiskBand;
import fairgate.gate.risk.RiskEngine;
import fairgate.gate.risk.TreeModel;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// What a model changes in the decisions of a bundle: people and bots that the model moves to a
/// seat behind, to a hold or to a refusal, or out of it. Its points are capped and the rules have
/// theirs, so this differs from what the model says alone.
///
/// @param humansHarmed people who are worse off with the model
/// @param botsStopped bots that are worse off with it
public record ModelEffect(long humansHarmed, long botsStopped, long humansFreed, long botsFreed) {
  static ModelEffect of(
      CompiledBundle bundle, TrainedModel trained, List<RecordedDecision> decisions) {
    TreeModel model = trained.treeModel();
    Map<OutcomeLabel, Long> harder = new EnumMap<>(OutcomeLabel.class);
    Map<OutcomeLabel, Long> softer = new EnumMap<>(OutcomeLabel.class);
    for (RecordedDecision decision : decisions) {
      Features features = Objects.requireNonNull(decision.features());
      Assessment assessment = RiskEngine.assess(bundle, features);
      int ofRules = assessment.score() - modelPoints(assessment);
      boolean before = isStrict(bundle, assessment, ofRules);
      boolean after = isStrict(bundle, assessment, ofRules + model.points(features));
      if (after && !before) {
        harder.merge(decision.label(), 1L, Long::sum);
      }
      if (before && !after) {
        softer.merge(decision.label(), 1L, Long::sum);
      }
    }
    return new ModelEffect(
        harder.getOrDefault(OutcomeLabel.HUMAN, 0L),
        harder.getOrDefault(OutcomeLabel.BOT, 0L),
        softer.getOrDefault(OutcomeLabel.HUMAN, 0L),
        softer.getOrDefault(OutcomeLabel.BOT, 0L));
  }

  private static int modelPoints(Assessment assessment) {
    return assessment.reasons().stream()
        .filter(reason -> reason.code().equals(RiskEngine.MODEL))
        .mapToInt(Assessment.Reason::points)
        .sum();
  }

  /// A band that a rule demands stays whatever the score.
  private static boolean isStrict(CompiledBundle bundle, Assessment assessment, int score) {
    RiskBand ofScore = bundle.bundle().bandOf(score);
    boolean isDemanded =
        assessment.band().compareTo(bundle.bundle().bandOf(assessment.score())) > 0;
    RiskBand band =
        isDemanded && assessment.band().compareTo(ofScore) > 0 ? assessment.band() : ofScore;
    return bundle.bundle().actionOf(band).compareTo(RiskAction.SEAT_BEHIND) >= 0;
  }
}
