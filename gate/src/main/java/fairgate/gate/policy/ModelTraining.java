package fairgate.gate.policy;

import fairgate.gate.policy.BoostedTrees.TrainingRows;
import fairgate.gate.policy.BoostedTrees.TreeNode;
import fairgate.gate.policy.RecordedDecisions.RecordedDecision;
import fairgate.gate.policy.TrainingReport.ModelEffect;
import fairgate.gate.policy.TrainingReport.ModelQuality;
import fairgate.gate.risk.CompiledBundle;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.TreeModel;
import fairgate.platform.json.JsonText;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// Trains the model of a bundle from recorded decisions whose outcome is known.
///
/// The rows are split by time: the oldest 60 percent are trained on, the next 20 percent choose the
/// number of trees, and the newest 20 percent are the test. So the model is judged by decisions
/// that were made after all decisions it has seen, as it will be in use.
public final class ModelTraining {
  /// The fewest people and the fewest bots in each of the three parts.
  static final int MIN_OF_LABEL = 20;

  private static final double TRAINING_SHARE = 0.6;
  private static final double VALIDATION_SHARE = 0.8;

  /// The most decisions that are kept, the newest ones, so that they fit into memory.
  private static final int MAX_ROWS = 200_000;

  private final List<Feature> columns;
  private final CompiledBundle bundle;

  /// Trains for one bundle.
  ///
  /// @param bundle the bundle that the model is for; its own model is left out
  public ModelTraining(CompiledBundle bundle) {
    this.bundle = bundle;
    this.columns =
        bundle.schema().features().stream()
            .filter(feature -> feature.type() != Feature.Type.STRING)
            .toList();
  }

  public sealed interface Outcome {
    /// The model may be used.
    ///
    /// @param model JSON for the member `model` of a bundle
    record Trained(String model, TrainingReport report) implements Outcome {}

    /// The model would do more harm than good; it is not given out.
    record Refused(String reason, TrainingReport report) implements Outcome {}

    /// There are too few decisions with a known outcome.
    record TooFew(String part, long humans, long bots, int least) implements Outcome {}
  }

  /// Reads the decisions of a range and trains. Blocks, and takes seconds to minutes.
  ///
  /// @param name of the model
  public Outcome run(RecordedDecisions decisions, RecordedDecisions.Range range, String name) {
    List<RecordedDecision> read = new ArrayList<>();
    decisions.forEachPage(
        range,
        true,
        page ->
            page.stream()
                .filter(ModelTraining::isUsable)
                .limit(MAX_ROWS - read.size())
                .forEach(read::add));
    // Oldest first.
    Collections.reverse(read);
    return train(read, name);
  }

  private static boolean isUsable(RecordedDecision decision) {
    return decision.features() != null && decision.label() != OutcomeLabel.UNKNOWN;
  }

  /// Trains on labelled decisions, oldest first.
  Outcome train(List<RecordedDecision> labelled, String name) {
    TrainingRows all = rows(labelled);
    int trainingEnd = (int) (all.size() * TRAINING_SHARE);
    int validationEnd = (int) (all.size() * VALIDATION_SHARE);
    TrainingRows training = all.part(0, trainingEnd);
    TrainingRows validation = all.part(trainingEnd, validationEnd);
    TrainingRows test = all.part(validationEnd, all.size());
    List<TrainingRows> parts = List.of(training, validation, test);
    List<String> names = List.of("training", "validation", "test");
    for (int i = 0; i < parts.size(); i++) {
      long bots = parts.get(i).bots();
      long humans = parts.get(i).size() - bots;
      if (bots < MIN_OF_LABEL || humans < MIN_OF_LABEL) {
        return new Outcome.TooFew(names.get(i), humans, bots, MIN_OF_LABEL);
      }
    }
    BoostedTrees.Model model =
        BoostedTrees.train(training, validation, BoostedTrees.Settings.defaults());
    TrainedModel trained = new TrainedModel(name, model, columns);
    TrainingReport report =
        new TrainingReport(
            training.size(),
            validation.size(),
            ModelQuality.of(model, test),
            ModelEffect.of(bundle, trained, labelled.subList(validationEnd, labelled.size())),
            model.trees().size());
    return report
        .objection()
        .<Outcome>map(reason -> new Outcome.Refused(reason, report))
        .orElseGet(() -> new Outcome.Trained(trained.json(), report));
  }

  private TrainingRows rows(List<RecordedDecision> decisions) {
    List<double[]> rows = new ArrayList<>(decisions.size());
    boolean[] labels = new boolean[decisions.size()];
    double[] withBehavior = new double[columns.size()];
    for (RecordedDecision decision : decisions) {
      Features features = java.util.Objects.requireNonNull(decision.features());
      double[] row = row(features);
      if (features.knowsBehavior()) {
        withBehavior = row;
      } else {
        copyBehavior(withBehavior, row);
      }
      labels[rows.size()] = decision.label() == OutcomeLabel.BOT;
      rows.add(row);
    }
    return new TrainingRows(columns.size(), rows, labels);
  }

  /// A decision without numbers of behavior gets those of the one before it, whoever that was.
  /// Otherwise the trees would learn that their absence means something.
  private void copyBehavior(double[] from, double[] to) {
    for (int i = 0; i < to.length; i++) {
      if (columns.get(i).privacy() == Feature.Privacy.BEHAVIOR) {
        to[i] = from[i];
      }
    }
  }

  private double[] row(Features features) {
    double[] row = new double[columns.size()];
    for (int i = 0; i < row.length; i++) {
      row[i] = features.asDouble(columns.get(i));
    }
    return row;
  }

  /// A trained model in the form of bundles.
  ///
  /// Its points are relative to the average decision: the base of the training is left out, so that
  /// adding a model does not shift the scores of everybody.
  ///
  /// @param columns the features that the trees' columns stand for
  record TrainedModel(String name, BoostedTrees.Model model, List<Feature> columns) {
    /// Points per unit of log-odds: evidence of 4 reaches the cap of 20 points.
    static final double SCALE = 5;

    TreeModel treeModel() {
      return new TreeModel(name, 0, SCALE, model.trees().stream().map(this::node).toList());
    }

    private TreeModel.Node node(TreeNode node) {
      TreeNode left = node.left();
      TreeNode right = node.right();
      return left == null || right == null
          ? new TreeModel.Node.Leaf(node.value())
          : new TreeModel.Node.Split(
              columns.get(node.feature()), node.threshold(), node(left), node(right));
    }

    /// The member `model` of a bundle.
    String json() {
      JsonText trees = JsonText.array();
      model.trees().forEach(tree -> trees.add(json(tree)));
      return JsonText.object()
          .put("name", name)
          .put("base", 0)
          .putAny("scale", SCALE)
          .put("trees", trees)
          .toString();
    }

    private JsonText json(TreeNode node) {
      TreeNode left = node.left();
      TreeNode right = node.right();
      return left == null || right == null
          ? JsonText.object().putAny("leaf", node.value())
          : JsonText.object()
              .put("feature", columns.get(node.feature()).name())
              .putAny("below", node.threshold())
              .put("yes", json(left))
              .put("no", json(right));
    }
  }
}
