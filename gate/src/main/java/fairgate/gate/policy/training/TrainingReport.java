package fairgate.gate.policy.training;

import java.util.List;
import java.util.Locale;
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

  /// Lines for operators.
  public List<String> lines() {
    List<String> lines = new java.util.ArrayList<>();
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
}
