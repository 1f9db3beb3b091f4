package fairgate.gate.policy.training;

import org.jspecify.annotations.Nullable;

/// A node of a trained tree. A node without children is a leaf.
///
/// @param value the log-odds that the tree adds when it ends here; for an inner node, the value it
///   would have as a leaf
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

  /// The value of the leaf for a row.
  double valueOf(double[] row) {
    TreeNode node = this;
    while (node.left != null && node.right != null) {
      node = row[node.feature] < node.threshold ? node.left : node.right;
    }
    return node.value;
  }
}
