package fairgate.gate.policy.training;

import java.util.ArrayList;
import java.util.List;

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
