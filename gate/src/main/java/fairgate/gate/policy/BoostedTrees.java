package fairgate.gate.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Trains gradient-boosted trees for a yes-or-no question with logistic loss.
///
/// The algorithm is that of T. Chen and C. Guestrin, "XGBoost: A Scalable Tree Boosting System",
/// 2016: second-order gradients, leaf weight -G/(H + lambda), gain by formula 7; the candidates for
/// splits are quantiles of each column, as in its section 3.2. There is no sampling and no other
/// chance, and sums are added in a fixed order, so the same rows give the same trees.
final class BoostedTrees {
  private static final int MAX_BINS = 64;
  private static final double LAMBDA = 1;
  private static final double MIN_CHILD_HESSIAN = 1;
  private static final double MIN_GAIN = 1e-6;

  /// Rounds without progress on the validation rows before the training ends.
  private static final int PATIENCE = 10;

  private final Settings settings;
  private final double[][] cuts;
  private final byte[][] bins;
  private final boolean[] labels;

  /// @param trees maximum number of trees
  /// @param depth maximum number of comparisons from the root to a leaf
  /// @param rate the share of each tree's values that is kept
  record Settings(int trees, int depth, double rate) {
    static Settings defaults() {
      return new Settings(100, 4, 0.1);
    }
  }

  /// A trained model.
  ///
  /// @param base the log-odds without any tree
  record Model(double base, List<TreeNode> trees) {
    Model {
      trees = List.copyOf(trees);
    }

    double logOdds(double[] row) {
      double sum = base;
      for (TreeNode tree : trees) {
        sum += tree.valueOf(row);
      }
      return sum;
    }

    double probability(double[] row) {
      return sigmoid(logOdds(row));
    }
  }

  private static final class Gradients {
    private final double[] first;
    private final double[] second;

    Gradients(int rows) {
      first = new double[rows];
      second = new double[rows];
    }
  }

  private record Split(double gain, int feature, int bin) {
    static final Split NONE = new Split(MIN_GAIN, -1, 0);
  }

  private BoostedTrees(TrainingRows rows, Settings settings) {
    this.settings = settings;
    this.labels = rows.labels();
    int columns = rows.columns();
    this.cuts = new double[columns][];
    this.bins = new byte[columns][];
    for (int column = 0; column < columns; column++) {
      double[] values = rows.column(column);
      cuts[column] = cutsOf(values);
      bins[column] = binsOf(values, cuts[column]);
    }
  }

  /// Trains on some rows, and keeps the number of trees with the least loss on others.
  ///
  /// @param training at least one row of each label
  static Model train(TrainingRows training, TrainingRows validation, Settings settings) {
    return new BoostedTrees(training, settings).run(training, validation);
  }

  static double sigmoid(double logOdds) {
    return 1 / (1 + Math.exp(-logOdds));
  }

  private Model run(TrainingRows training, TrainingRows validation) {
    double base = baseOf(labels);
    double[] scores = filled(training.size(), base);
    double[] checked = filled(validation.size(), base);
    List<TreeNode> trees = new ArrayList<>();
    double best = loss(checked, validation.labels());
    int keep = 0;
    while (trees.size() < settings.trees() && trees.size() - keep < PATIENCE) {
      TreeNode tree = grow(gradients(scores));
      trees.add(tree);
      add(tree, training, scores);
      add(tree, validation, checked);
      double loss = loss(checked, validation.labels());
      if (loss < best) {
        best = loss;
        keep = trees.size();
      }
    }
    return new Model(base, trees.subList(0, keep));
  }

  private TreeNode grow(Gradients gradients) {
    int[] all = new int[labels.length];
    Arrays.setAll(all, i -> i);
    return grow(gradients, all, settings.depth());
  }

  private TreeNode grow(Gradients gradients, int[] rows, int depth) {
    double g = 0;
    double h = 0;
    for (int row : rows) {
      g += gradients.first[row];
      h += gradients.second[row];
    }
    double value = -g / (h + LAMBDA) * settings.rate();
    Split split = depth == 0 ? Split.NONE : bestSplit(gradients, rows, g, h);
    if (split.feature() < 0) {
      return TreeNode.leaf(value);
    }
    byte[] column = bins[split.feature()];
    int[] left = Arrays.stream(rows).filter(row -> column[row] <= split.bin()).toArray();
    int[] right = Arrays.stream(rows).filter(row -> column[row] > split.bin()).toArray();
    return new TreeNode(
        value,
        split.feature(),
        cuts[split.feature()][split.bin()],
        grow(gradients, left, depth - 1),
        grow(gradients, right, depth - 1));
  }

  private Split bestSplit(Gradients gradients, int[] rows, double g, double h) {
    Split best = Split.NONE;
    double[] first = new double[MAX_BINS];
    double[] second = new double[MAX_BINS];
    for (int column = 0; column < bins.length; column++) {
      if (cuts[column].length == 0) {
        continue;
      }
      Arrays.fill(first, 0);
      Arrays.fill(second, 0);
      for (int row : rows) {
        int bin = bins[column][row];
        first[bin] += gradients.first[row];
        second[bin] += gradients.second[row];
      }
      double gLeft = 0;
      double hLeft = 0;
      for (int bin = 0; bin < cuts[column].length; bin++) {
        gLeft += first[bin];
        hLeft += second[bin];
        double gain = gain(gLeft, hLeft) + gain(g - gLeft, h - hLeft) - gain(g, h);
        boolean isFull = hLeft >= MIN_CHILD_HESSIAN && h - hLeft >= MIN_CHILD_HESSIAN;
        if (isFull && gain > best.gain()) {
          best = new Split(gain, column, bin);
        }
      }
    }
    return best;
  }

  private static double gain(double g, double h) {
    return g * g / (h + LAMBDA);
  }

  private Gradients gradients(double[] scores) {
    Gradients gradients = new Gradients(scores.length);
    for (int i = 0; i < scores.length; i++) {
      double p = sigmoid(scores[i]);
      gradients.first[i] = p - (labels[i] ? 1 : 0);
      gradients.second[i] = p * (1 - p);
    }
    return gradients;
  }

  private static void add(TreeNode tree, TrainingRows rows, double[] scores) {
    for (int i = 0; i < scores.length; i++) {
      scores[i] += tree.valueOf(rows.row(i));
    }
  }

  /// The mean logistic loss.
  private static double loss(double[] scores, boolean[] labels) {
    double sum = 0;
    for (int i = 0; i < scores.length; i++) {
      double margin = labels[i] ? scores[i] : -scores[i];
      sum += margin > 0 ? Math.log1p(Math.exp(-margin)) : Math.log1p(Math.exp(margin)) - margin;
    }
    return scores.length == 0 ? 0 : sum / scores.length;
  }

  private static double baseOf(boolean[] labels) {
    int positive = 0;
    for (boolean label : labels) {
      positive += label ? 1 : 0;
    }
    return Math.log((double) positive / (labels.length - positive));
  }

  private static double[] filled(int length, double value) {
    double[] all = new double[length];
    Arrays.fill(all, value);
    return all;
  }

  /// At most 63 thresholds, each halfway between two neighbouring values, at equal ranks.
  private static double[] cutsOf(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    double[] distinct = Arrays.stream(sorted).distinct().toArray();
    List<Double> cuts = new ArrayList<>();
    if (distinct.length <= MAX_BINS) {
      for (int i = 1; i < distinct.length; i++) {
        cuts.add((distinct[i - 1] + distinct[i]) / 2);
      }
    } else {
      for (int bin = 1; bin < MAX_BINS; bin++) {
        double cut = sorted[(int) ((long) bin * sorted.length / MAX_BINS)];
        if (cut > sorted[0] && (cuts.isEmpty() || cut > cuts.getLast())) {
          cuts.add(cut);
        }
      }
    }
    return cuts.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /// The bin of a value is the number of thresholds at or below it.
  private static byte[] binsOf(double[] values, double[] cuts) {
    byte[] bins = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      int at = Arrays.binarySearch(cuts, values[i]);
      bins[i] = (byte) (at >= 0 ? at + 1 : -at - 1);
    }
    return bins;
  }

  /// A node of a trained tree. A node without children is a leaf.
  ///
  /// @param value the log-odds that the tree adds when it ends here; for an inner node, the value
  ///   it would have as a leaf
  /// @param feature the column that is compared; -1 for a leaf
  /// @param threshold values below it go left, all others right
  record TreeNode(
      double value,
      int feature,
      double threshold,
      @Nullable TreeNode left,
      @Nullable TreeNode right) {
    static TreeNode leaf(double value) {
      return new TreeNode(value, -1, 0, null, null);
    }

    double valueOf(double[] row) {
      TreeNode node = this;
      while (node.left != null && node.right != null) {
        node = row[node.feature] < node.threshold ? node.left : node.right;
      }
      return node.value;
    }
  }

  /// Rows of numbers with their labels, in order of time.
  static final class TrainingRows {
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
}
