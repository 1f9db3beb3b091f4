package fairgate.gate.policy;

import fairgate.gate.policy.BoostedTrees.TrainingRows;
import fairgate.gate.policy.ModelTraining.TrainedModel;
import fairgate.gate.policy.RecordedDecisions.RecordedDecision;
import fairgate.gate.risk.CompiledBundle;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskAction;
import fairgate.gate.risk.RiskBundle;
import fairgate.gate.risk.RiskEngine;
import fairgate.gate.risk.RiskEngine.Assessment;
import fairgate.gate.risk.TreeModel;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// The report of a training.
///
/// @param quality on the test rows
/// @param effect on the test rows, with the rules of the bundle
public record TrainingReport(
    int trainingRows, int validationRows, ModelQuality quality, ModelEffect effect, int trees) {
  /// Why the model must not be used; empty when it may be.
  Optional<String> objection() {
    if (effect.humansHarmed() > effect.botsStopped()) {
      return Optional.of("it harms more people than it stops bots");
    }
    return effect.botsStopped() == 0 && effect.humansFreed() == 0
        ? Optional.of("it stops no bot and helps nobody")
        : Optional.empty();
  }

  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    long test =
        quality.truePositives()
            + quality.falsePositives()
            + quality.falseNegatives()
            + quality.trueNegatives();
    lines.add(
        "rows: %d to train, %d to choose the number of trees (%d), %d to test (the newest)"
            .formatted(trainingRows, validationRows, trees, test));
    lines.add(
        String.format(
            Locale.ROOT,
            "alone: precision %.3f, recall %.3f, calibration error %.3f, Brier score %.3f",
            quality.precision(),
            quality.recall(),
            quality.calibrationError(),
            quality.brier()));
    lines.add("calibration: probability, rows, mean prediction, share of bots");
    for (ModelQuality.Range range : quality.calibration()) {
      lines.add(
          String.format(
              Locale.ROOT,
              "  %.1f-%.1f  %7d  %.3f  %.3f",
              range.from(),
              range.from() + 0.1,
              range.rows(),
              range.predicted(),
              range.observed()));
    }
    lines.add(
        "with the rules: %d bots stopped, %d people harmed, %d people freed, %d bots freed"
            .formatted(
                effect.botsStopped(),
                effect.humansHarmed(),
                effect.humansFreed(),
                effect.botsFreed()));
    return lines;
  }

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
      RiskBundle.Band ofScore = bundle.bundle().bandOf(score);
      boolean isDemanded =
          assessment.band().compareTo(bundle.bundle().bandOf(assessment.score())) > 0;
      RiskBundle.Band band =
          isDemanded && assessment.band().compareTo(ofScore) > 0 ? assessment.band() : ofScore;
      return bundle.bundle().actionOf(band).compareTo(RiskAction.SEAT_BEHIND) >= 0;
    }
  }

  /// How well a model tells bots from people in rows that it has not seen.
  ///
  /// @param truePositives bots with a probability of at least one half, and so on
  /// @param brier mean squared error of the probabilities; 0 is perfect
  /// @param calibration mean probability and share of bots, by ranges of the probability
  public record ModelQuality(
      long truePositives,
      long falsePositives,
      long falseNegatives,
      long trueNegatives,
      double brier,
      List<Range> calibration) {
    private static final int RANGES = 10;

    public ModelQuality {
      calibration = List.copyOf(calibration);
    }

    /// The rows whose probability lies between `from` and `from + 0.1`.
    ///
    /// @param predicted mean probability
    /// @param observed share of bots
    public record Range(double from, long rows, double predicted, double observed) {}

    static ModelQuality of(BoostedTrees.Model model, TrainingRows rows) {
      long[][] confusion = new long[2][2];
      double squares = 0;
      long[] counts = new long[RANGES];
      double[] predicted = new double[RANGES];
      long[] bots = new long[RANGES];
      for (int i = 0; i < rows.size(); i++) {
        double p = model.probability(rows.row(i));
        int label = rows.labels()[i] ? 1 : 0;
        confusion[label][p >= 0.5 ? 1 : 0]++;
        squares += (p - label) * (p - label);
        int range = Math.min(RANGES - 1, (int) (p * RANGES));
        counts[range]++;
        predicted[range] += p;
        bots[range] += label;
      }
      List<Range> calibration = new ArrayList<>();
      for (int i = 0; i < RANGES; i++) {
        if (counts[i] > 0) {
          calibration.add(
              new Range(
                  (double) i / RANGES,
                  counts[i],
                  predicted[i] / counts[i],
                  (double) bots[i] / counts[i]));
        }
      }
      return new ModelQuality(
          confusion[1][1],
          confusion[0][1],
          confusion[1][0],
          confusion[0][0],
          squares / Math.max(1, rows.size()),
          calibration);
    }

    /// The share of bots among rows that were called bots; 0 without any.
    public double precision() {
      return share(truePositives, truePositives + falsePositives);
    }

    /// The share of bots that were called bots; 0 without any.
    public double recall() {
      return share(truePositives, truePositives + falseNegatives);
    }

    /// The mean distance of predicted and observed shares, weighted by rows.
    public double calibrationError() {
      double sum = 0;
      long rows = 0;
      for (Range range : calibration) {
        sum += range.rows() * Math.abs(range.predicted() - range.observed());
        rows += range.rows();
      }
      return rows == 0 ? 0 : sum / rows;
    }

    private static double share(long part, long whole) {
      return whole == 0 ? 0 : (double) part / whole;
    }
  }
}
