package fairgate.gate.risk;

import java.util.List;

/// Gradient-boosted trees over features, evaluated to points of at most [#CAP] in each direction.
///
/// The raw value of a request is `base` plus one leaf of each tree, in natural log-odds of being a
/// bot. Its points are `round(raw * scale)`, limited to the cap. A tree that asks for the behavior
/// of a visitor whose page sent none adds nothing: the absence is never held against anybody.
///
/// @param base the raw value before the trees
/// @param scale points per unit of the raw value
public record TreeModel(String name, double base, double scale, List<Node> trees) {
  public static final int CAP = 20;

  public TreeModel {
    trees = List.copyOf(trees);
  }

  public sealed interface Node {
    /// Goes left when the feature's value is less than the threshold, otherwise right. Booleans are
    /// 0 and 1.
    record Split(Feature feature, double threshold, Node left, Node right) implements Node {}

    record Leaf(double value) implements Node {}
  }

  public int points(Features features) {
    double raw = base;
    for (Node tree : trees) {
      raw += leaf(tree, features);
    }
    return Math.clamp(Math.round(raw * scale), -CAP, CAP);
  }

  private static double leaf(Node tree, Features features) {
    Node node = tree;
    while (node instanceof Node.Split split) {
      if (split.feature().privacy() == Feature.Privacy.BEHAVIOR && !features.knowsBehavior()) {
        return 0;
      }
      node = features.asDouble(split.feature()) < split.threshold() ? split.left() : split.right();
    }
    return ((Node.Leaf) node).value();
  }
}
