package fairgate.gate.policy.training;

import java.util.List;

/// Rows of numbers with their labels, in order of time.
///
/// @param rows not changed by anybody; all of one length
/// @param labels true for a bot
record TrainingRows(int columns, List<double[]> rows, boolean[] labels) {
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
