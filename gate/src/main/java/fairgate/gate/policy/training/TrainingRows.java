package fairgate.gate.policy.training;

import java.util.List;

/// Rows of numbers with their labels, in order of time.
final class TrainingRows {
  private final int columns;
  private final List<double[]> rows;
  private final boolean[] labels;

  /// @param rows not changed by anybody; all of one length
  /// @param labels true for a bot
  TrainingRows(int columns, List<double[]> rows, boolean[] labels) {
    this.columns = columns;
    this.rows = rows;
    this.labels = labels;
  }

  int columns() {
    return columns;
  }

  /// True for a bot. Not to be changed.
  boolean[] labels() {
    return labels;
  }

  int size() {
    return rows.size();
  }

  double[] row(int index) {
    return rows.get(index);
  }

  double[] column(int column) {
    double[] values = new double[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = rows.get(i)[column];
    }
    return values;
  }

  long bots() {
    long bots = 0;
    for (boolean label : labels) {
      bots += label ? 1 : 0;
    }
    return bots;
  }

  /// The rows from one index to another, exclusive.
  TrainingRows part(int from, int to) {
    return new TrainingRows(
        columns, rows.subList(from, to), java.util.Arrays.copyOfRange(labels, from, to));
  }
}
