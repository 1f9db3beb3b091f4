package fairgate.gate.policy.training;

import fairgate.gate.policy.training.BoostedTrees.TreeNode;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.TreeModel;
import fairgate.platform.json.JsonText;
import java.util.List;

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
