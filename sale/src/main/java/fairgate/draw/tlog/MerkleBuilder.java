package fairgate.draw.tlog;

import java.util.ArrayList;
import java.util.List;

/// A tree that grows leaf by leaf and keeps only the roots of its complete subtrees. Adding a leaf
/// costs one hash on average; the root of the present size costs at most one per level.
public final class MerkleBuilder {
  private final List<Hash> subtrees = new ArrayList<>();
  private long size;

  /// Adds the hash of the next leaf.
  public void add(Hash leaf) {
    Hash hash = leaf;
    for (long count = size; (count & 1) == 1; count >>= 1) {
      hash = Merkle.node(subtrees.removeLast(), hash);
    }
    subtrees.add(hash);
    size++;
  }

  public long size() {
    return size;
  }

  public Hash root() {
    if (subtrees.isEmpty()) {
      return Merkle.EMPTY;
    }
    Hash root = subtrees.getLast();
    for (int i = subtrees.size() - 2; i >= 0; i--) {
      root = Merkle.node(subtrees.get(i), root);
    }
    return root;
  }

  public Merkle.Head head() {
    return new Merkle.Head(size, root());
  }
}
