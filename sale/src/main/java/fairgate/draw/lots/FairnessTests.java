package fairgate.draw.lots;

import java.util.Optional;

/// The distribution tests that are published with a draw: a wrong program, such as that of the US
/// visa lottery of 2011, shows itself in them.
///
/// @param groups number of groups by time of entry
/// @param marginal time of entry against rank
/// @param joint rank of an entry against the rank of the next entry
public record FairnessTests(int groups, ChiSquare marginal, ChiSquare joint) {
  private static final int MAX_GROUPS = 10;
  private static final int ENTRIES_PER_GROUP = 50;

  public record ChiSquare(double statistic, int degreesOfFreedom) {
    static ChiSquare of(long[][] table) {
      int groups = table.length;
      long[] rows = new long[groups];
      long[] columns = new long[groups];
      long total = 0;
      for (int i = 0; i < groups; i++) {
        for (int j = 0; j < groups; j++) {
          rows[i] += table[i][j];
          columns[j] += table[i][j];
          total += table[i][j];
        }
      }
      double statistic = 0;
      for (int i = 0; i < groups; i++) {
        for (int j = 0; j < groups; j++) {
          double expected = (double) rows[i] * columns[j] / total;
          double difference = table[i][j] - expected;
          statistic += expected == 0 ? 0 : difference * difference / expected;
        }
      }
      return new ChiSquare(statistic, (groups - 1) * (groups - 1));
    }

    /// The statistic as a number of standard deviations (Wilson and Hilferty). In a fair draw, it
    /// is above 4 once in 30,000 draws.
    public double z() {
      double spread = 2.0 / (9 * degreesOfFreedom);
      return (Math.cbrt(statistic / degreesOfFreedom) - (1 - spread)) / Math.sqrt(spread);
    }
  }

  /// The tests of an order; empty below 100 entries.
  ///
  /// @param ranks the rank of each entry, by index
  public static Optional<FairnessTests> of(int[] ranks) {
    int size = ranks.length;
    int groups = Math.min(MAX_GROUPS, size / ENTRIES_PER_GROUP);
    if (groups < 2) {
      return Optional.empty();
    }
    long[][] marginal = new long[groups][groups];
    long[][] joint = new long[groups][groups];
    for (int i = 0; i < size; i++) {
      int group = group(ranks[i], groups, size);
      marginal[group(i, groups, size)][group]++;
      if (i + 1 < size) {
        joint[group][group(ranks[i + 1], groups, size)]++;
      }
    }
    return Optional.of(new FairnessTests(groups, ChiSquare.of(marginal), ChiSquare.of(joint)));
  }

  private static int group(int item, int groups, int size) {
    return (int) ((long) item * groups / size);
  }
}
