package fairgate.gate.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import fairgate.gate.policy.BoostedTrees.TrainingRows;
import fairgate.gate.policy.BoostedTrees.TreeNode;
import fairgate.gate.policy.TrainingReport.ModelQuality;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BoostedTreesTest {
  /// Two columns of noise, and two that together decide: true when exactly one of them is above one
  /// half. A tenth of the labels is wrong.
  private static TrainingRows rows(int seed, int count) {
    Random random = new Random(seed);
    List<double[]> rows = new ArrayList<>();
    boolean[] labels = new boolean[count];
    for (int i = 0; i < count; i++) {
      double[] row = {
        random.nextDouble(), random.nextDouble(), random.nextInt(7), random.nextDouble()
      };
      rows.add(row);
      labels[i] = (row[0] > 0.5) != (row[3] > 0.5) != (random.nextInt(10) == 0);
    }
    return new TrainingRows(4, rows, labels);
  }

  private static BoostedTrees.Model train() {
    return BoostedTrees.train(rows(1, 3_000), rows(2, 1_000), BoostedTrees.Settings.defaults());
  }

  @Test
  void itLearnsWhatNoSingleColumnTells() {
    ModelQuality quality = ModelQuality.of(train(), rows(3, 2_000));
    assertThat(quality.precision()).isGreaterThan(0.85);
    assertThat(quality.recall()).isGreaterThan(0.85);
    assertThat(quality.calibrationError()).isLessThan(0.1);
  }

  @Test
  void theSameRowsGiveTheSameTrees() {
    assertThat(train()).isEqualTo(train());
  }

  @Test
  void theFirstTreeHasTheWeightsOfTheFormula() {
    List<double[]> rows = new ArrayList<>();
    boolean[] labels = new boolean[40];
    for (int i = 0; i < 40; i++) {
      rows.add(new double[] {i < 20 ? 1 : 3});
      labels[i] = i >= 20;
    }
    TrainingRows all = new TrainingRows(1, rows, labels);
    BoostedTrees.Model model = BoostedTrees.train(all, all, new BoostedTrees.Settings(1, 1, 1.0));
    // Every gradient is -1/2 or 1/2, every second one 1/4: 10 / (5 + 1).
    TreeNode tree = model.trees().getFirst();
    assertThat(tree.threshold()).isEqualTo(2);
    assertThat(tree.valueOf(new double[] {1.9})).isCloseTo(-10 / 6.0, within(1e-12));
    assertThat(tree.valueOf(new double[] {2})).isCloseTo(10 / 6.0, within(1e-12));
  }

  @Test
  void treesThatDoNotHelpOnOtherRowsAreLeftOut() {
    TrainingRows training = rows(1, 500);
    TrainingRows opposite = rows(2, 500);
    boolean[] labels = opposite.labels();
    for (int i = 0; i < labels.length; i++) {
      labels[i] = !labels[i];
    }
    assertThat(BoostedTrees.train(training, opposite, BoostedTrees.Settings.defaults()).trees())
        .hasSizeLessThan(3);
  }
}
